import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'cat_'
const TOKEN_BYTES = 32
const FORM = /^cat_[A-Za-z0-9_-]{43}[A-Za-z0-9_-]{6}$/
const CHECKSUM_AT = -6

/** Longest life of a token, seconds. */
export const TOKEN_LIFETIME = 3_600

/** CRC-32 of the rest of the token: tells typing errors and cut-off tokens from real ones without a look-up. */
function checksum(text: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return bytes.toString('base64url')
}

/** An opaque token: 256 random bits and a checksum, in letters that need no encoding anywhere. */
export function newAccessToken(): string {
  const text = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url')
  return text + checksum(text)
}

/** Whether the text can be one of our tokens at all. */
export const isAccessToken = (text: string): boolean =>
  FORM.test(text) && checksum(text.slice(0, CHECKSUM_AT)) === text.slice(CHECKSUM_AT)

/** Under which a token is stored: with 256 random bits a plain SHA-256 cannot be turned back. */
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()
