/** A number; null when no service reports it. */
export const count = (value: number | null): string => value?.toLocaleString('en') ?? 'unknown'
