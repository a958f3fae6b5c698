/** Text of bytes; null unless they are UTF-8 without control characters other than tab and line ends. */
export function messageText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return /(?![\t\n\r])\p{Cc}/u.test(text) ? null : text
  } catch {
    return null
  }
}
