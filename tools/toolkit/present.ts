/** Returns the value; throws when it is undefined. */
export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`there is no ${what}`)
  return value
}

/** The item at this index of the list repeated without end. */
export const inTurn = <T>(items: readonly T[], index: number): T => present(items[index % items.length], 'item')
