import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { hasTag, newTaggedSecret } from './tagged-secret.js'

/** Kinds of opaque tokens, by their first characters: a token of one kind never passes for another. */
const prefixes = { access: 'cat_', documentation: 'cds_' } as const

/** `access`: of the partner interface; `documentation`: a session of the documentation pages. */
export type TokenKind = keyof typeof prefixes

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

/**
 * An opaque token: a tagged secret and a checksum.
 * @param key of the tags, hexadecimal
 */
export function newToken(kind: TokenKind, key: string): string {
  const text = newTaggedSecret(key, prefixes[kind])
  return text + checksum(text)
}

/** Whether a text with the form of our tokens has a tag of this key. */
export const isTaggedToken = (key: string, text: string): boolean => hasTag(key, text.slice(0, CHECKSUM_AT))

/** Whether the text has the form and checksum of our tokens of this kind. */
export const isToken = (kind: TokenKind, text: string): boolean =>
  text.startsWith(prefixes[kind]) &&
  REST.test(text.slice(prefixes[kind].length)) &&
  checksum(text.slice(0, CHECKSUM_AT)) === text.slice(CHECKSUM_AT)

/** Key under which a token is stored: with 208 random bits a plain SHA-256 cannot be reversed. */
export const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')
