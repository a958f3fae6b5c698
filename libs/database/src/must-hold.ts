const DIVISION_BY_ZERO = '22012'

/**
 * SQL expression that makes its statement, and so its transaction, fail unless the condition is true. Name the error by
 * `tx.defer(statement, { unmet })`.
 */
export const mustHold = (condition: string): string => `1 / ((${condition}) IS TRUE)::integer`

/** Whether a statement failed because a condition of `mustHold` is false. */
export const isUnmet = (error: unknown): boolean => (error as { code?: unknown }).code === DIVISION_BY_ZERO
