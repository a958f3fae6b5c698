import type { IncomingMessage } from 'node:http'
import { SmallPieces } from './small-pieces.js'

declare module 'node:http' {
  interface IncomingMessage {
    /** Chunks of the body that have arrived; undefined for a body that is not chunked. */
    arrivedChunks?: number
  }
}

/**
 * Gathers small chunks of a body while one read of the connection is parsed: a read of 64 KiB holds up to 10,000, which
 * would take 2 MiB until the body is read. They are pushed when the parser has finished, which runs microtasks between.
 */
export function gatherChunks(request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined) return
  const push = request.push.bind(request)
  const small = new SmallPieces(push)
  request.arrivedChunks = 0
  request.push = (chunk: Buffer | null): boolean => {
    const isFirst = small.length === 0
    if (chunk === null) small.flush()
    if (chunk === null || !small.add(chunk)) return push(chunk)
    request.arrivedChunks! += 1
    if (isFirst) setImmediate(() => small.flush())
    return request.readableLength + small.length < request.readableHighWaterMark
  }
}
