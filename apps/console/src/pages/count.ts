/** A number of things; null when no service says so. */
export const count = (value: number | null): string => value?.toLocaleString('en') ?? 'unknown'
