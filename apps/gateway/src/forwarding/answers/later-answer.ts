import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'

/** An answer that is given once a promise has settled. Until then, what arrives is kept like that of a slow reader. */
export class LaterAnswer extends Writable {
  /** @param ready resolves when the answer may be given; must not reject */
  constructor(
    private readonly response: ServerResponse,
    private readonly head: { status: number; headers: Record<string, string | string[]> },
    private readonly ready: Promise<void>,
  ) {
    super()
  }

  override _construct(done: () => void): void {
    void this.ready.then(() => {
      const { response, head } = this
      // Its request may have been refused in the meantime.
      if (!response.headersSent && !response.destroyed) response.writeHead(head.status, head.headers)
      done()
    })
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.response.destroyed) return done()
    this.response.write(chunk, () => done())
  }

  override _final(done: () => void): void {
    if (this.response.destroyed) return done()
    this.response.end(() => done())
  }
}
