/** A command that is not understood: nothing was sent. `hint` is the --help that helps. */
export class UsageError extends Error {
  constructor(message, hint) {
    super(message)
    this.hint = hint
  }
}
