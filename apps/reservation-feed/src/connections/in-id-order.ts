const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Sorted as everybody locks the head rows; what is about one connection keeps its order. */
export const inIdOrder = <T extends { connection_id: string }>(about: readonly T[]): T[] =>
  about.toSorted((a, b) => compare(a.connection_id, b.connection_id))
