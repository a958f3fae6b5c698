import type { IncomingMessage } from 'node:http'

declare module 'node:http' {
  interface IncomingMessage {
    /** Chunks of the body that have arrived; undefined for a body that is not chunked. */
    arrivedChunks?: number
  }
}

/** Chunks below this length are copied together, bytes: every Buffer takes about 250 bytes beside its content. */
const SMALL = 1024
const BLOCK = 4 * 1024

/**
 * Gathers small chunks of a body while one read of the connection is parsed: a read of 64 KiB holds up to 10,000, which
 * would take 2 MiB until the body is read. They are pushed when the parser has finished, which runs microtasks between.
 */
export function gatherChunks(request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined) return
  const push = request.push.bind(request)
  const block = Buffer.allocUnsafeSlow(BLOCK)
  let used = 0
  const flush = (): void => {
    if (used > 0) push(Buffer.from(block.subarray(0, used)))
    used = 0
  }
  request.arrivedChunks = 0
  request.push = (chunk: Buffer | null): boolean => {
    if (chunk === null || chunk.length >= SMALL) {
      flush()
      return push(chunk)
    }
    request.arrivedChunks! += 1
    if (used === 0) setImmediate(flush)
    else if (used + chunk.length > BLOCK) flush()
    used += chunk.copy(block, used)
    return request.readableLength + used < request.readableHighWaterMark
  }
}
