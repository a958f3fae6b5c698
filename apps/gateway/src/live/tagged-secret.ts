import { hash, randomBytes } from 'node:crypto'

/** Together the 43 characters of 256 random bits, which builds of the release before take. */
const RANDOM_BYTES = 26
const TAG_CHARACTERS = 8

/** 48 bits that only holders of the key can make, see `tagOf` of the key ids. A guess gains a database lookup, nothing else. */
const tagOf = (key: string, text: string): string => hash('sha256', key + text, 'base64url').slice(0, TAG_CHARACTERS)

/**
 * A new secret: the prefix, 208 random bits and a tag of both, in characters that need no encoding anywhere.
 * @param key hexadecimal text
 */
export function newTaggedSecret(key: string, prefix: string): string {
  const text = prefix + randomBytes(RANDOM_BYTES).toString('base64url')
  return text + tagOf(key, text)
}

/** Whether a secret, with its prefix, has a tag of this key. Those of an earlier release have none. */
export const hasTag = (key: string, secret: string): boolean =>
  secret.slice(-TAG_CHARACTERS) === tagOf(key, secret.slice(0, -TAG_CHARACTERS))
