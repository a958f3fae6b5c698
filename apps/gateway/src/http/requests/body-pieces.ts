import { freeAtOnce } from '../connections/free-at-once.js'
import { SmallPieces } from '../connections/small-pieces.js'

/** The pieces of a body as they arrive. Their memory follows their bytes, however small they are. */
export class BodyPieces {
  private readonly whole: Buffer[] = []
  private readonly small = new SmallPieces((content) => this.whole.push(content))

  add(piece: Buffer): void {
    // Most bodies are one piece, which is kept as it came.
    if (this.whole.length === 0 || !this.small.add(piece)) this.whole.push(piece)
  }

  /** Frees everything that has arrived. */
  drop(): void {
    this.small.drop()
    this.whole.splice(0).forEach(freeAtOnce)
  }

  /** @returns the body, undefined if it was dropped; its pieces must not be read afterwards */
  join(size: number): Buffer | undefined {
    this.small.flush()
    const [first, second] = this.whole
    if (!second) return first
    const body = Buffer.concat(this.whole, size)
    this.drop()
    return body
  }
}
