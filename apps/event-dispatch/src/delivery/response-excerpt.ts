import { EXCERPT_BYTES } from '../sending/sender.js'

const CONTROLS = /\p{Cc}/gu

/**
 * The beginning of an answer as text of at most 1 KiB in one line: without control characters, cut between letters,
 * invalid UTF-8 replaced.
 * @param body the first bytes of the answer's body
 * @returns null if nothing is left
 */
export function responseExcerpt(body: Buffer): string | null {
  // As a stream, so that a letter cut off at the end is left out.
  const text = new TextDecoder().decode(body, { stream: true }).replace(CONTROLS, '')
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(EXCERPT_BYTES))
  return text.slice(0, read) || null
}
