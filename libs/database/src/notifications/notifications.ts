import type { Client } from 'pg'
import type { Transaction } from '../transaction.js'

/**
 * Listens to a PostgreSQL channel on a dedicated connection (`Database.session`) until it ends.
 * @param channel an SQL identifier
 * @param onNotification gets the payload of each notification that another session sent
 */
export async function listen(
  session: Client,
  channel: string,
  onNotification: (payload: string) => void,
): Promise<void> {
  const own = (session as unknown as { processID: number }).processID
  session.on('notification', (message) => {
    if (message.channel === channel && message.processId !== own) onNotification(message.payload ?? '')
  })
  await session.query(`LISTEN ${channel}`)
}

/** Notifies the channel's listeners when the transaction commits; sent along with the next statement. */
export function notify(tx: Transaction, channel: string, payload: string): void {
  tx.defer({ name: 'notify', text: 'SELECT pg_notify($1, $2)', values: [channel, payload] })
}
