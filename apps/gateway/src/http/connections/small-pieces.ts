/** Pieces below this length are copied together, bytes: every Buffer takes about 250 bytes beside its content. */
const SMALL = 1024
const BLOCK = 4 * 1024

/** Copies small pieces of a stream together, in their order. */
export class SmallPieces {
  private block: Buffer | undefined
  /** Bytes of the block that are in use. */
  private used = 0

  /** @param give gets what has been copied together */
  constructor(private readonly give: (content: Buffer) => void) {}

  /** Bytes that have not been given yet. */
  get length(): number {
    return this.used
  }

  /** @returns false for a piece that is not small: it is not copied, and comes after what has been given now */
  add(piece: Buffer): boolean {
    if (piece.length >= SMALL) {
      this.flush()
      return false
    }
    if (this.used + piece.length > BLOCK) this.flush()
    this.block ??= Buffer.allocUnsafeSlow(BLOCK)
    this.used += piece.copy(this.block, this.used)
    return true
  }

  /** Gives what has been copied together so far. */
  flush(): void {
    if (this.block && this.used > 0) {
      const content = Buffer.allocUnsafeSlow(this.used)
      this.block.copy(content)
      this.give(content)
    }
    this.used = 0
  }

  /** Forgets what has not been given yet. */
  drop(): void {
    this.used = 0
  }
}
