import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Booking } from '@connectivity/contracts/booking-events'
import type { Reservation } from '@connectivity/contracts/reservation'
import { eventually } from '@connectivity/testing/eventually'
import { PollingPartner } from '@connectivity/testing/partner'
import type { FeedProcess } from './feed-process.js'

export const PROPERTIES = 10
export const RESERVATIONS = 30
export const VERSIONS = 10
/** Pause between two polls, ms: pollers without a rest leave the feed no processor to write with. */
const REST = 25
/** The same for one that starts, ms. */
const REFUSED_REST = 100

/** Ten properties with two connections each; the ids are new, because the topics are shared with other tests. */
export function properties() {
  const run = randomUUID().slice(0, 8)
  return Array.from({ length: PROPERTIES }, (_, index) => ({
    propertyId: `prop_${run}_${index}`,
    connectionIds: [`con_${run}_${index}_a`, `con_${run}_${index}_b`],
  }))
}

export type TestProperty = ReturnType<typeof properties>[number]

/** One version of every reservation of a property; the last cancels every fifth. */
export const changesOf = ({ propertyId }: TestProperty, version: number): Partial<Booking>[] =>
  Array.from({ length: RESERVATIONS }, (_, index) => ({
    property_id: propertyId,
    reservation_id: `${propertyId}-${index}`,
    version,
    guest_count: version,
    ...(version === VERSIONS && index % 5 === 0 ? { status: 'cancelled' as const } : {}),
  }))

/** Announces the properties' connections to the feed. */
export const announce = (feed: FeedProcess, all: readonly TestProperty[]): Promise<void> =>
  feed.announce(
    ...all.flatMap(({ propertyId, connectionIds }) =>
      connectionIds.map((connectionId) => ({ connection_id: connectionId, property_id: propertyId })),
    ),
  )

/** Pollers of all connections, until `done` resolves. */
export async function pollDuring(
  feed: FeedProcess,
  all: readonly TestProperty[],
  done: Promise<unknown>,
): Promise<PollingPartner[]> {
  let writing = true
  void done.finally(() => (writing = false))
  const partners = all
    .flatMap(({ connectionIds }) => connectionIds)
    .map(
      (id) =>
        new PollingPartner(id, (query) =>
          feed.page(id, query).catch(async (error: unknown) => {
            await delay(REFUSED_REST)
            throw error
          }),
        ),
    )
  await Promise.all([
    done,
    ...partners.map(async (partner) => {
      while (writing) {
        await partner.pull()
        await delay(REST)
      }
    }),
  ])
  return partners
}

/**
 * Expects every partner to end up with all reservations, and to have seen nothing it must not see.
 * @param version that all of them have by then; in the last one a fifth is cancelled
 */
export async function expectComplete(partners: readonly PollingPartner[], version = VERSIONS): Promise<void> {
  for (const partner of partners) {
    const having = (wanted: (reservation: Reservation) => boolean) => [...partner.reservations.values()].filter(wanted)
    await eventually(async () => {
      await partner.pull()
      expect(having(({ guest_count }) => guest_count === version)).toHaveLength(RESERVATIONS)
    })
    expect(having(({ cancelled }) => cancelled)).toHaveLength(version === VERSIONS ? RESERVATIONS / 5 : 0)
    expect(partner.violations).toEqual([])
  }
}
