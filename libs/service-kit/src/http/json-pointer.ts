/** Longest name of an unknown key that an answer repeats, characters: 1 MB of it must not come back in every detail. */
const MAX_STEP = 128

/** One step of a JSON pointer, RFC 6901; a name longer than any field's is cut. */
export const pointerStep = (at: string | number): string => {
  const name = String(at)
  const shown = name.length > MAX_STEP ? `${name.slice(0, MAX_STEP).toWellFormed()}…` : name
  return `/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
