import { hash } from 'node:crypto'
import type { RowKind } from './digest.js'

/** 32-bit parts of an element. */
const LIMBS = 8
const LIMB_BITS = 32n
/** Number of elements whose limbs a double adds up exactly: 2^20 numbers below 2^32 stay below 2^53. */
const EXACT = 2 ** 20
const MODULUS = 2n ** 256n

/**
 * The digest of a set of rows, in any order. The element of a row is SHA-256 of
 * `<updated_at>\n<kind>\n<reservation_id>` (UTF-8) as a 256-bit big-endian integer. The digest is SHA-256 of the
 * elements' sum modulo 2^256 (32 bytes, big-endian) and the number of rows (8 bytes, big-endian).
 */
export class DigestSum {
  private readonly limbs = new Float64Array(LIMBS)
  private carried = 0n
  private count = 0

  /** Number of rows. */
  get rows(): number {
    return this.count
  }

  /** @param updatedAt as partners see it, `2026-11-20T10:15:30.123Z` */
  add(updatedAt: string, kind: RowKind, reservationId: string): void {
    // Text with one byte per character is three times faster than a Buffer for each row.
    const element = hash('sha256', `${updatedAt}\n${kind}\n${reservationId}`, 'binary')
    for (let limb = 0; limb < LIMBS; limb++) this.limbs[limb]! += uint32At(element, limb * 4)
    this.count += 1
    if (this.count % EXACT === 0) this.carry()
  }

  /** 64 lower-case hex digits. */
  digest(): string {
    this.carry()
    const summed = Buffer.from(this.carried.toString(16).padStart(64, '0'), 'hex')
    const counted = Buffer.alloc(8)
    counted.writeBigUInt64BE(BigInt(this.count))
    return hash('sha256', Buffer.concat([summed, counted]), 'hex')
  }

  private carry(): void {
    const sum = this.limbs.reduce((high, limb) => (high << LIMB_BITS) + BigInt(limb), 0n)
    this.carried = (this.carried + sum) % MODULUS
    this.limbs.fill(0)
  }
}

const uint32At = (bytes: string, at: number): number =>
  ((bytes.charCodeAt(at) << 24) |
    (bytes.charCodeAt(at + 1) << 16) |
    (bytes.charCodeAt(at + 2) << 8) |
    bytes.charCodeAt(at + 3)) >>>
  0

/** The bucket of a row, `00`–`ff`: the first byte of SHA-256 of its reservation id. It never changes. */
export const bucketOf = (reservationId: string): string => hash('sha256', reservationId, 'hex').slice(0, 2)
