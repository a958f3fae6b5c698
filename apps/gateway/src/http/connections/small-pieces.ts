/** Pieces below this length are copied together, bytes: every Buffer takes about 250 bytes beside its content. */
const SMALL = 1024
const BLOCK = 4 * 1024

/** Copies small pieces of a stream together, in their order. */
export class SmallPieces {
  private block: Buffer | undefined
  /** Bytes of the block that are in use. */
  private used = 0

  /** @param give receives each block of copied pieces */
  constructor(private readonly give: (content: Buffer) => void) {}

  /** Bytes that are copied and not passed on yet. */
  get length(): number {
    return this.used
  }

  /**
   * Copies a small piece.
   * @returns false for a longer piece: it is not copied, and the caller passes it on after what `give` received
   */
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

  /** Passes on the pieces copied so far. */
  flush(): void {
    if (this.block && this.used > 0) {
      const content = Buffer.allocUnsafeSlow(this.used)
      this.block.copy(content)
      this.give(content)
    }
    this.used = 0
  }

  /** Discards the pieces copied so far. */
  drop(): void {
    this.used = 0
  }
}
