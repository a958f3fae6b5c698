const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Sorts by id, the order in which every writer locks the head rows; items of one connection keep their order. */
export const inIdOrder = <T extends { connection_id: string }>(about: readonly T[]): T[] =>
  about.toSorted((a, b) => compare(a.connection_id, b.connection_id))
