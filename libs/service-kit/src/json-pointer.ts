/** One step of a JSON pointer, RFC 6901. */
export const pointerStep = (at: string | number): string => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`
