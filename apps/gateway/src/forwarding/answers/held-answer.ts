import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { Writable } from 'node:stream'

/** A short answer that is held back while its client waits for news. */
export interface HeldAnswer {
  readonly status: number
  readonly headers: Record<string, string | string[]>
  /** UTF-8. */
  readonly body: string
}

/** An answer without news, with its headers as the service sent them. */
export interface RepeatableAnswer extends HeldAnswer {
  internal: IncomingHttpHeaders
}

/** Collects a short answer as it arrives. */
export class HeldAnswerStream extends Writable {
  private readonly chunks: Buffer[] = []

  constructor(
    private readonly status: number,
    private readonly headers: Record<string, string | string[]>,
    /** Headers as the service sent them. */
    readonly internal: IncomingHttpHeaders,
  ) {
    super()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk)
    done()
  }

  /** The complete answer, which keeps nothing of the stream: thousands may be held. */
  get answer(): HeldAnswer {
    return { status: this.status, headers: this.headers, body: Buffer.concat(this.chunks).toString() }
  }
}

/** @param added headers added to those of the answer */
export function giveHeld(
  { status, headers, body }: HeldAnswer,
  to: ServerResponse,
  added: Record<string, string>,
): void {
  to.writeHead(status, { ...headers, ...added }).end(body)
}
