/** A reason not to go on that a person can act on: one sentence, shown without a stack. */
export class Refusal extends Error {}
