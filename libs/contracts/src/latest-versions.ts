/**
 * Returns the state with the highest version of each id; the first of equal versions.
 * @param idOf id of the object whose state it is
 */
export function latestVersions<T>(
  states: readonly T[],
  idOf: (state: T) => string,
  versionOf: (state: T) => number,
): T[] {
  const latest = new Map<string, T>()
  for (const state of states) {
    const known = latest.get(idOf(state))
    if (!known || versionOf(known) < versionOf(state)) latest.set(idOf(state), state)
  }
  return [...latest.values()]
}
