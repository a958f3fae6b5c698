import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Kinds of opaque tokens, by their first characters: a token of one kind never passes for another. */
const prefixes = { access: 'cat_', documentation: 'cds_' } as const

/** `access`: of the partner interface; `documentation`: a session of the documentation pages. */
export type TokenKind = keyof typeof prefixes

const TOKEN_BYTES = 32
const REST = /^[A-Za-z0-9_-]{43}[A-Za-z0-9_-]{6}$/
const CHECKSUM_AT = -6

/** Longest life of an access token, seconds. */
export const TOKEN_LIFETIME = 3_600

/** CRC-32 of the rest of the token: detects typing errors and truncated tokens without a lookup. */
function checksum(text: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return bytes.toString('base64url')
}

/** An opaque token: 256 random bits and a checksum, in characters that need no encoding anywhere. */
export function newToken(kind: TokenKind): string {
  const text = prefixes[kind] + randomBytes(TOKEN_BYTES).toString('base64url')
  return text + checksum(text)
}

/** Whether the text has the form and checksum of our tokens of this kind. */
export const isToken = (kind: TokenKind, text: string): boolean =>
  text.startsWith(prefixes[kind]) &&
  REST.test(text.slice(prefixes[kind].length)) &&
  checksum(text.slice(0, CHECKSUM_AT)) === text.slice(CHECKSUM_AT)

/** Key under which a token is stored: with 256 random bits a plain SHA-256 cannot be reversed. */
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()
