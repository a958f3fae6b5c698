import type { Connection } from '../api/connections.ts'

/** Path of a reservation's page. */
export const reservationPath = (connectionId: string, id: string): string =>
  `/connections/${connectionId}/reservations/${encodeURIComponent(id)}`

/** Props of every page about one connection. */
export interface ConnectionPageProps {
  connection: Connection
}
