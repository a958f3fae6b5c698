// Handles that keep a process alive, by kind.

/** Number of open handles of each kind. */
export type HandleCounts = ReadonlyMap<string, number>

const count = (): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/** Counts the open handles. */
export function openHandles(): HandleCounts
/** @returns the handles opened since `before`, as `3 Timeout` */
export function openHandles(before: HandleCounts): string[]
export function openHandles(before?: HandleCounts): HandleCounts | string[] {
  if (!before) return count()
  return [...count()].flatMap(([kind, now]) => {
    const more = now - (before.get(kind) ?? 0)
    return more > 0 ? [`${more} ${kind}`] : []
  })
}
