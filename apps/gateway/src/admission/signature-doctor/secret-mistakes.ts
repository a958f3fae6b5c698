import type { SignatureHint } from '@connectivity/contracts/signature-hints'

/** A key that a client may have used by mistake. */
export interface WrongKey {
  hint: SignatureHint
  key: Buffer
}

const WHITE_SPACE = ['\n', '\r\n', ' '].map((text) => Buffer.from(text))

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Values of base64 digits by character: both alphabets, and the standard one, whose decoders skip `-` and `_`. */
const alphabets = [['+/', '-_'], ['+/']].map((ends) => {
  const values = new Int8Array(256).fill(-1)
  for (const end of ends) [...LETTERS, ...end].forEach((digit, value) => (values[digit.charCodeAt(0)] = value))
  return values
})

/** The keys that clients make from a secret by mistake: with white space around it, or decoded from base64. */
export function secretMistakes(secret: Buffer): WrongKey[] {
  const spaced = WHITE_SPACE.flatMap((space) => [
    [secret, space],
    [space, secret],
    [space, secret, space],
  ])
  return [
    ...spaced.map((pieces): WrongKey => ({ hint: 'secret_whitespace', key: Buffer.concat(pieces) })),
    ...alphabets.map((values): WrongKey => ({ hint: 'secret_decoded', key: decoded(secret, values) })),
  ]
}

/** Decodes base64 without padding, from bytes to bytes: a secret never becomes a string. Skips other characters. */
function decoded(text: Buffer, values: Int8Array): Buffer {
  const bytes = Buffer.alloc(text.length)
  let [length, bits, held] = [0, 0, 0]
  for (const character of text) {
    const value = values[character]!
    if (value < 0) continue
    bits = ((bits << 6) | value) & 0xffff
    held += 6
    if (held < 8) continue
    held -= 8
    bytes[length++] = bits >> held
  }
  return bytes.subarray(0, length)
}
