import { Writable } from 'node:stream'

/** The body of an answer to an operator's change, with its audit entry in front. Answers to changes are small. */
export class AuditedAnswer extends Writable {
  private readonly chunks: Buffer[] = []

  /**
   * @param entryBytes length of the entry
   * @param keep stores the entry; never rejects
   * @param give sends the body
   */
  constructor(
    private readonly entryBytes: number,
    private readonly keep: (entry: Buffer) => Promise<void>,
    private readonly give: (body: Buffer) => void,
  ) {
    super()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk)
    done()
  }

  override _final(done: (error?: Error) => void): void {
    const whole = Buffer.concat(this.chunks)
    this.keep(whole.subarray(0, this.entryBytes))
      .then(() => this.give(whole.subarray(this.entryBytes)))
      .then(() => done(), done)
  }
}
