/**
 * Of full states with a version, the highest of each thing; of equal ones the first.
 * @param idOf what it is a state of
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
