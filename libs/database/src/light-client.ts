import { Socket } from 'node:net'
import { Client, type QueryResult } from 'pg'

/**
 * pg's client, made lighter in one place. For a promise it assigns a function literal to a property of the query, and V8
 * puts such a function into the old generation at once: the query, its parameters and its rows then stay until the next
 * major collection, which comes the sooner for it. What gets a callback does not.
 */
export class LightClient extends Client {
  /** As pg's own, whose many overloads a `never` satisfies. */
  override query(config: unknown, values?: unknown, callback?: unknown): never {
    const ask = (then: unknown): unknown => super.query(config as string, values as unknown[], then as never)
    const isAnswered = typeof (callback ?? values) === 'function' || 'submit' in Object(config)
    return (isAnswered ? ask(callback) : promised(ask)) as never
  }
}

function promised(ask: (then: unknown) => unknown): Promise<QueryResult> {
  const answer = new Promise<QueryResult>((resolve, reject) => {
    ask((error: Error | null, result: QueryResult) => (error ? reject(error) : resolve(result)))
  })
  return answer.catch((error: Error) => {
    // As pg does: a stack that leads to who asked, rather than to the socket that answered.
    Error.captureStackTrace(error)
    throw error
  })
}

/**
 * Makes sockets that end themselves when nothing has come or gone for so long: then the server is gone without a word. The
 * timer is the socket's own, so that a statement costs none; pg's `query_timeout` makes one for each, and keeps it as above.
 * @param silence ms; must be longer than any statement of ours takes, and than a pool keeps an idle connection
 */
export const socketsEndingAfter = (silence: number) => (): Socket => {
  const socket = new Socket()
  const error = Object.assign(new Error(`no word to or from PostgreSQL for ${silence} ms`), { code: 'ETIMEDOUT' })
  return socket.setTimeout(silence, () => socket.destroy(error))
}
