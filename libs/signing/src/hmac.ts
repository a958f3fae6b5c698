import { hash, type KeyObject, timingSafeEqual } from 'node:crypto'

/** Lengths of SHA-256, bytes. */
const BLOCK = 64
const DIGEST = 32
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c
/** Most bytes of a UTF-16 unit in UTF-8. */
const BYTES_PER_UNIT = 3

/** A key combined with the pads of RFC 2104, a block for each of the two hashes. */
interface PaddedKey {
  inner: Uint8Array
  outer: Uint8Array
}

const paddedKeys = new WeakMap<KeyObject, PaddedKey>()

function pad(key: KeyObject): PaddedKey {
  const bytes = key.export()
  const block = Buffer.alloc(BLOCK)
  block.set(bytes.length > BLOCK ? hash('sha256', bytes, 'buffer') : bytes)
  const paddedWith = (byte: number): Uint8Array => block.map((one) => one ^ byte)
  return { inner: paddedWith(INNER_PAD), outer: paddedWith(OUTER_PAD) }
}

function paddedKey(key: KeyObject): PaddedKey {
  const known = paddedKeys.get(key)
  if (known) return known
  const padded = pad(key)
  paddedKeys.set(key, padded)
  return padded
}

/** Buffers for the input of the two hashes, used by one call after the other. */
const innerInput = Buffer.alloc(BLOCK + 64 * 1024)
const outerInput = Buffer.alloc(BLOCK + DIGEST)

/**
 * Returns the HMAC-SHA-256 (RFC 2104) of a text in UTF-8. Two one-shot hashes over buffers that exist: `createHmac`
 * makes objects outside V8's heap, which cost a request 15 µs where the hashing takes one.
 */
export function hmacSha256(key: KeyObject, text: string, encoding: 'hex' | 'base64url'): string {
  const { inner, outer } = paddedKey(key)
  const most = BLOCK + text.length * BYTES_PER_UNIT
  const input = most > innerInput.length ? Buffer.alloc(most) : innerInput
  input.set(inner)
  const end = BLOCK + input.write(text, BLOCK)
  outerInput.set(outer)
  outerInput.write(hash('sha256', input.subarray(0, end), 'binary'), BLOCK, 'binary')
  return hash('sha256', outerInput, encoding)
}

/** Longest texts that are compared, characters: a digest in hex. */
const LONGEST = 2 * DIGEST
const [left, right] = [Buffer.alloc(LONGEST), Buffer.alloc(LONGEST)]

/**
 * Whether two digests in the same encoding are equal, in constant time for their length.
 * @param expected a digest as `hmacSha256` returns it
 */
export function isSameDigest(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false
  left.fill(0).write(given)
  right.fill(0).write(expected)
  return timingSafeEqual(left, right)
}
