import { randomFillSync } from 'node:crypto'

/** Random bytes not used yet: drawn from the system one by one, they would cost ten times as much. */
const pool = Buffer.alloc(16 * 1024)
let used = pool.length

/** A few random bytes for ids, as good as `randomBytes`, from one draw for many callers. */
export function drawRandomBytes(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  // A copy: the next draw overwrites the pool.
  return Buffer.from(pool.subarray(used - count, used))
}
