/**
 * Returns every value of a header as sent: Node joins or drops repeated ones.
 * @param rawHeaders names and values as received, alternating
 * @param name in any case
 */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const wanted = name.toLowerCase()
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === wanted)
}
