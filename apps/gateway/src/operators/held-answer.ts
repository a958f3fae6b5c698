import { Writable } from 'node:stream'

/** The body of an answer that is held back until its effect is visible everywhere. Answers to changes are small. */
export class HeldAnswer extends Writable {
  private readonly chunks: Buffer[] = []

  /**
   * @param ready settles when the answer may be sent; it is sent even if this rejects
   * @param give sends the answer
   */
  constructor(
    private readonly ready: Promise<void>,
    private readonly give: (body: Buffer) => void,
  ) {
    super()
    ready.catch(() => undefined)
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk)
    done()
  }

  override _final(done: (error?: Error) => void): void {
    const give = () => this.give(Buffer.concat(this.chunks))
    this.ready.then(give, give).then(() => done(), done)
  }
}
