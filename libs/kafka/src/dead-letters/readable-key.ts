const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A message's key as text: `base64:` and its bytes where it is not UTF-8. */
export function readableKey(key: Buffer | null): string | null {
  if (key === null) return null
  try {
    return utf8.decode(key)
  } catch {
    return `base64:${key.toString('base64')}`
  }
}
