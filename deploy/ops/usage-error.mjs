/** A command that is not understood; nothing was sent. `hint` names the --help page to read. */
export class UsageError extends Error {
  constructor(message, hint) {
    super(message)
    this.hint = hint
  }
}
