import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { Client, type QueryResult } from 'pg'

/**
 * pg's client with cheaper promises and packets. What is sent in one turn of the event loop leaves in one packet: one
 * packet for each statement would cost a system call and a wake-up of PostgreSQL each. Queries are made with a
 * callback: for a promise, pg keeps a function literal on the query, V8 allocates it in the old generation, and query,
 * parameters and rows then stay in memory until the next major collection.
 */
export class LightClient extends Client {
  private isGathering = false

  /** Works like pg's `query`; the return type `never` satisfies its many overloads. */
  override query(config: unknown, values?: unknown, callback?: unknown): never {
    this.gather()
    const ask = (then: unknown): unknown => super.query(config as string, values as unknown[], then as never)
    const isAnswered = typeof (callback ?? values) === 'function' || 'submit' in Object(config)
    return (isAnswered ? ask(callback) : promised(ask)) as never
  }

  /** Collects writes until the end of the current turn of the event loop. */
  private gather(): void {
    if (this.isGathering) return
    this.isGathering = true
    const { stream } = (this as unknown as { connection: { stream: Writable } }).connection
    stream.cork()
    process.nextTick(() => {
      this.isGathering = false
      stream.uncork()
    })
  }
}

function promised(ask: (then: unknown) => unknown): Promise<QueryResult> {
  const answer = new Promise<QueryResult>((resolve, reject) => {
    ask((error: Error | null, result: QueryResult) => (error ? reject(error) : resolve(result)))
  })
  return answer.catch((error: Error) => {
    // As in pg: the stack leads to the caller rather than to the socket that answered.
    Error.captureStackTrace(error)
    throw error
  })
}

/**
 * Makes sockets that end themselves after `silence` ms without traffic: the server has vanished silently. The timer
 * belongs to the socket, so a statement costs none; pg's `query_timeout` makes one for each, which stays in memory as
 * above.
 * @param silence ms; must exceed the longest statement and the time for which a pool keeps an idle connection
 */
export const socketsEndingAfter = (silence: number) => (): Socket => {
  const socket = new Socket()
  const error = Object.assign(new Error(`nothing sent to or received from PostgreSQL for ${silence} ms`), {
    code: 'ETIMEDOUT',
  })
  return socket.setTimeout(silence, () => socket.destroy(error))
}
