/** The raw request target up to `?`, as sent. */
export function pathOf(target: string): string {
  const end = target.indexOf('?')
  return end === -1 ? target : target.slice(0, end)
}

/** The raw query of a request target, without `?`. */
export function queryOf(target: string): string {
  const end = target.indexOf('?')
  return end === -1 ? '' : target.slice(end + 1)
}
