import { hash, randomBytes } from 'node:crypto'

/**
 * Characters of a tag, which has 48 bits: at 30 guesses a minute, the limit of an address, a right guess takes hundreds
 * of thousands of years.
 */
export const TAG_LENGTH = { hex: 12, base64url: 8 } as const

/** Secret and tag have the 43 characters of 256 random bits, which builds of the previous release accept. */
const RANDOM_BYTES = 26

/**
 * A tag of `text` that only holders of the key can make. One hash instead of an HMAC: the text has a fixed length and
 * four fifths of the hash stay hidden, so it cannot be extended. A guessed tag gains a database lookup, nothing else.
 */
export const tagOf = (key: string, text: string, form: keyof typeof TAG_LENGTH): string =>
  hash('sha256', key + text, form).slice(0, TAG_LENGTH[form])

/**
 * A new secret: the prefix, 208 random bits and a tag of both, in characters that need no encoding anywhere.
 * @param key hexadecimal text
 */
export function newTaggedSecret(key: string, prefix: string): string {
  const text = prefix + randomBytes(RANDOM_BYTES).toString('base64url')
  return text + tagOf(key, text, 'base64url')
}

/** Whether a secret, with its prefix, has a tag of this key. Those of an earlier release have none. */
export function hasTag(key: string, secret: string): boolean {
  const length = TAG_LENGTH.base64url
  return secret.slice(-length) === tagOf(key, secret.slice(0, -length), 'base64url')
}
