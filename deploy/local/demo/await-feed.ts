// Waits until the feed has read the demo bookings from Kafka. It asks as an operator: a poll with a partner's key would
// count as the partner's own.
import type { DeliveryStatus } from '@connectivity/contracts/delivery-status'
import { Refusal } from '../bootstrap/machine/refusal.mjs'
import type { DemoConnection } from '../../../tools/toolkit/hand-over.ts'
import type { OperatorsApi } from '../../../tools/toolkit/operators-api.ts'
import { poll } from '../../../tools/toolkit/until.ts'
import type { Seeded } from './seed.ts'

const WITHIN = 60_000

async function awaitConnection(api: OperatorsApi, connection: DemoConnection, expected: number): Promise<void> {
  const path = `/connections/${connection.property_id}/delivery-status`
  let seen = ''
  const isServed = async () => {
    try {
      const { waiting, processed_to } = await api.call<DeliveryStatus>('GET', path)
      seen = `${waiting} of ${expected} reservations`
      // A partner that has polled found the bookings that an earlier start waited for.
      return processed_to !== null || waiting >= expected
    } catch (error) {
      seen = (error as Error).message
      return false
    }
  }
  if (await poll(isServed, { within: WITHIN, every: 50 })) return
  throw new Refusal(
    `The feed of ${connection.source_property_id} did not have its bookings within 60 s (${seen}); ` +
      'if the databases are not the ones this STATE_DIR was seeded with: npm run reset.',
  )
}

/** Resolves when every demo connection's feed serves at least the bookings its property began with. */
export async function awaitFeed(
  api: OperatorsApi,
  { applications, published }: Pick<Seeded, 'applications' | 'published'>,
): Promise<void> {
  const connections = applications.flatMap((application) => application.connections)
  await Promise.all(
    connections.map((connection) => awaitConnection(api, connection, published[connection.source_property_id]!)),
  )
}
