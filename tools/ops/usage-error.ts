/** A command line with a mistake; nothing was sent. */
export class UsageError extends Error {
  /** Names the --help page to read; empty for the general one. */
  hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
