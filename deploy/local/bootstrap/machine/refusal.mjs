/** An error that the user can fix: one sentence, shown without a stack trace. */
export class Refusal extends Error {}
