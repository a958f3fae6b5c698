import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'cat_'
const TOKEN_BYTES = 32
const FORM = /^cat_[A-Za-z0-9_-]{43}[A-Za-z0-9_-]{6}$/
const CHECKSUM_AT = -6

/** Longest life of a token, seconds. */
export const TOKEN_LIFETIME = 3_600

/** CRC-32 of the rest of the token: detects typing errors and truncated tokens without a lookup. */
function checksum(text: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return bytes.toString('base64url')
}

/** An opaque token: 256 random bits and a checksum, in characters that need no encoding anywhere. */
export function newAccessToken(): string {
  const text = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url')
  return text + checksum(text)
}

/** Whether the text has the form and checksum of our tokens. */
export const isAccessToken = (text: string): boolean =>
  FORM.test(text) && checksum(text.slice(0, CHECKSUM_AT)) === text.slice(CHECKSUM_AT)

/** Key under which a token is stored: with 256 random bits a plain SHA-256 cannot be reversed. */
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()
