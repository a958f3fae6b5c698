import { freeAtOnce, freeWithBeginning } from './free-at-once.js'

const KIB = 1024
/** A read of 64 KiB. */
const read = () => Buffer.from(new ArrayBuffer(64 * KIB))
const isFreed = ({ buffer }: Buffer): boolean => (buffer as ArrayBuffer).detached

describe('freeing memory at once', () => {
  it('frees a buffer, but not a part of one', () => {
    const [whole, part] = [read(), read()]
    freeAtOnce(whole)
    freeAtOnce(part.subarray(1))
    expect([isFreed(whole), isFreed(part)]).toEqual([true, false])
  })

  it('frees a chunk together with the head before it', () => {
    const bytes = read()
    freeWithBeginning(bytes.subarray(500))
    expect(isFreed(bytes)).toBe(true)
  })

  it('leaves a chunk with bytes after it, which may still wait to be written', () => {
    const bytes = read()
    freeWithBeginning(bytes.subarray(500, 64 * KIB - 1))
    expect(isFreed(bytes)).toBe(false)
  })

  it('leaves a chunk whose memory other buffers may use', () => {
    const half = read().subarray(32 * KIB)
    freeWithBeginning(half)
    expect(isFreed(half)).toBe(false)
    // Fills whole pools, so that some of these end theirs.
    const pooled = Array.from({ length: 200 }, (_, number) => Buffer.allocUnsafe(Buffer.poolSize / 8).fill(number))
    pooled.forEach(freeWithBeginning)
    expect(pooled.every((bytes, number) => bytes.length > 0 && bytes.every((one) => one === number))).toBe(true)
  })
})
