import { freeAtOnce } from '../connections/free-at-once.js'

/** Pieces below this length are copied together, bytes: every Buffer takes about 250 bytes beside its content. */
const SMALL = 1024
const BLOCK = 4 * 1024

/** The pieces of a body as they arrive. Their memory follows their bytes, however small they are. */
export class BodyPieces {
  private readonly whole: Buffer[] = []
  private block: Buffer | undefined
  /** Bytes of the block that are in use. */
  private used = 0

  add(piece: Buffer): void {
    // Most bodies are one piece.
    if (piece.length >= SMALL || this.whole.length === 0) {
      this.endBlock()
      this.whole.push(piece)
      return
    }
    if (this.used + piece.length > BLOCK) this.endBlock()
    this.block ??= Buffer.allocUnsafeSlow(BLOCK)
    piece.copy(this.block, this.used)
    this.used += piece.length
  }

  /** Frees everything that has arrived. */
  drop(): void {
    this.used = 0
    this.whole.splice(0).forEach(freeAtOnce)
  }

  /** @returns the body, undefined if it was dropped; its pieces must not be read afterwards */
  join(size: number): Buffer | undefined {
    this.endBlock()
    const [first, second] = this.whole
    if (!second) return first
    const body = Buffer.concat(this.whole, size)
    this.drop()
    return body
  }

  private endBlock(): void {
    if (this.block && this.used > 0) {
      const content = Buffer.allocUnsafeSlow(this.used)
      this.block.copy(content)
      this.whole.push(content)
    }
    this.used = 0
  }
}
