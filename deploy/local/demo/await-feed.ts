// Waits until a signed request through the gateway returns the demo bookings, which the feed has read from Kafka.
import { Refusal } from '../bootstrap/machine/refusal.mjs'
import type { DemoConnection } from '../../../tools/toolkit/hand-over.ts'
import { pullFeed } from '../../../tools/toolkit/partner.ts'
import { poll } from '../../../tools/toolkit/until.ts'
import type { Seeded } from './seed.ts'

const WITHIN = 60_000

async function awaitConnection(baseUrl: string, connection: DemoConnection, expected: number): Promise<void> {
  let seen = ''
  const isServed = async () => {
    const { status, reservations } = await pullFeed(baseUrl, connection).catch((error: Error) => ({
      status: error.message,
      reservations: undefined,
    }))
    seen = reservations ? `${reservations.size} of ${expected} reservations` : `the last answer was ${status}`
    return reservations !== undefined && reservations.size >= expected
  }
  if (await poll(isServed, { within: WITHIN, every: 50 })) return
  throw new Refusal(
    `GET /reservations of ${connection.source_property_id} did not serve its bookings within 60 s (${seen}); ` +
      'if the databases are not the ones this STATE_DIR was seeded with: npm run reset.',
  )
}

/** Resolves when every demo connection's feed serves at least the bookings its property began with. */
export async function awaitFeed(
  baseUrl: string,
  { applications, published }: Pick<Seeded, 'applications' | 'published'>,
): Promise<void> {
  const connections = applications.flatMap((application) => application.connections)
  await Promise.all(
    connections.map((connection) => awaitConnection(baseUrl, connection, published[connection.source_property_id]!)),
  )
}
