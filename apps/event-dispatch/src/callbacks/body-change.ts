import { isDeepStrictEqual } from 'node:util'
import type { BodyChangeCause, FirstDifference } from '@connectivity/contracts/callbacks'

/** Bytes of either side that a difference shows. */
const SHOWN = 16

/** Most bytes that indenting, escapes or another character set make of one. Longer bodies are not compared further. */
const MOST_TIMES = 8

/** @returns null for equal bodies */
export function firstDifference(expected: Buffer, received: Buffer): FirstDifference | null {
  if (expected.equals(received)) return null
  const end = Math.min(expected.length, received.length)
  let offset = 0
  while (offset < end && expected[offset] === received[offset]) offset++
  const shown = (bytes: Buffer) => bytes.subarray(offset, offset + SHOWN).toString('base64')
  return { offset, expected: shown(expected), received: shown(received) }
}

/** How a received body probably came to differ from the one that was sent. */
export function causeOfChange(expected: Buffer, received: Buffer): BodyChangeCause {
  if (expected.subarray(0, received.length).equals(received)) return 'truncated'
  if (received.length > MOST_TIMES * expected.length) return 'unknown'
  if (isSameJson(expected, received)) return 'json_reserialised'
  return plain(expected).equals(plain(received)) || isUtf16(expected, received) ? 'charset' : 'unknown'
}

function isSameJson(one: Buffer, other: Buffer): boolean {
  try {
    const read = (bytes: Buffer): unknown => JSON.parse(bytes.toString('utf8'))
    return isDeepStrictEqual(read(one), read(other))
  } catch {
    return false
  }
}

/** Whether the body is the sent text in UTF-16, of either byte order. */
const isUtf16 = (expected: Buffer, received: Buffer): boolean =>
  ['utf-16le', 'utf-16be'].some((order) => new TextDecoder(order).decode(received) === expected.toString('utf8'))

const QUESTION_MARK = 0x3f

/**
 * Keeps the bytes that are equal in every character set: ASCII without NUL and `?`. UTF-16 adds a NUL to each of
 * these, and encoders write `?` for letters that their character set does not have.
 */
function plain(bytes: Buffer): Buffer {
  const kept = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (const byte of bytes) if (byte > 0 && byte < 0x80 && byte !== QUESTION_MARK) kept[length++] = byte
  return kept.subarray(0, length)
}
