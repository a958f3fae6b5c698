import type { Writable } from 'node:stream'
import { Client, type ClientConfig } from 'pg'

/** Time within which a session's statement must be answered, ms. */
const STATEMENT_TIMEOUT = 10_000
/** Time that the server has to close an ended session, ms. */
const END_TIMEOUT = 1_000
/** Lets the server release the locks of a vanished node within half a minute instead of two hours. */
const KEEP_ALIVE = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3'

/**
 * A dedicated connection, idle for any time, that does not wait long for a server that has vanished silently: TCP alone
 * would try for a quarter of an hour.
 */
export class SessionClient extends Client {
  /** Connects. @throws Error when the database cannot be reached */
  static async open(config: ClientConfig): Promise<SessionClient> {
    const client = new SessionClient({ ...config, query_timeout: STATEMENT_TIMEOUT })
    client.on('error', () => undefined)
    await client.connect()
    try {
      await client.query(KEEP_ALIVE)
    } catch (error) {
      await client.end()
      throw error
    }
    return client
  }

  /** Ends the session, and a statement that is not answered yet with it. */
  override async end(): Promise<void> {
    const { stream } = (this as unknown as { connection: { stream: Writable } }).connection
    const late = setTimeout(() => stream.destroy(), END_TIMEOUT)
    try {
      await super.end()
    } finally {
      clearTimeout(late)
    }
  }
}
