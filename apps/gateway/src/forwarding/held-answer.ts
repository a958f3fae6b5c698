import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'

/** A short answer that is held back while its client waits for news. */
export class HeldAnswer extends Writable {
  private readonly chunks: Buffer[] = []

  constructor(
    private readonly status: number,
    private readonly headers: Record<string, string | string[]>,
  ) {
    super()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk)
    done()
  }

  /** @param added headers besides those of the answer */
  give(response: ServerResponse, added: Record<string, string>): void {
    response.writeHead(this.status, { ...this.headers, ...added }).end(Buffer.concat(this.chunks))
  }
}
