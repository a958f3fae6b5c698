import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import type { Admitted } from '../admission/admitted.js'

/** A short answer that is held back while its client waits for news. */
export interface HeldAnswer {
  readonly status: number
  readonly headers: Record<string, string | string[]>
  /** UTF-8. */
  readonly body: string
}

/** A look at the service: the only one, one that may be followed by others, or the last one of a wait. */
export type LookKind = 'only' | 'waiting' | 'last'

/** How requests that may wait are answered. */
export interface Answering {
  /**
   * Looks at the service and answers, unless the request waits and the look finds no news.
   * @returns the answer without news, else the status of what was answered
   */
  look(admitted: Admitted, kind: LookKind): Promise<HeldAnswer | number>
  /** Ends a request: gives the answer that was held back, or notes the status of what was answered. */
  end(admitted: Admitted, found: HeldAnswer | number): void
}

/** Takes a short answer as it comes. */
export class HeldAnswerStream extends Writable {
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

  /** The complete answer, which keeps nothing of the stream: thousands may be held. */
  get answer(): HeldAnswer {
    return { status: this.status, headers: this.headers, body: Buffer.concat(this.chunks).toString() }
  }
}

/** @param added headers besides those of the answer */
export function giveHeld(
  { status, headers, body }: HeldAnswer,
  to: ServerResponse,
  added: Record<string, string>,
): void {
  to.writeHead(status, { ...headers, ...added }).end(body)
}
