/** A mistake in ids or environment that the command line alone does not show; nothing was sent. */
export class UsageError extends Error {}
