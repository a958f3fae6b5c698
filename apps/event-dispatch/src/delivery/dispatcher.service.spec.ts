import type { Logger } from '@connectivity/service-kit/logging'
import type { Attempts } from './attempts.service.js'
import { CallbackLanes } from './callback-lanes.js'
import type { DeliveryTargetStore } from './delivery-target.store.js'
import type { DeliveryResults } from './delivery-results.service.js'
import type { DeliverySignals } from './delivery-signals.service.js'
import { Dispatcher } from './dispatcher.service.js'
import type { ClaimedCallback, LaneStore } from './lane.store.js'
import type { LeaseKeeper } from './lease-keeper.service.js'

/** Longer than a lease is kept without work, ms. */
const IDLE = 11_000

const due: ClaimedCallback = {
  isOpen: true,
  revision: '1',
  lanes: [
    {
      reservationId: 'RSV-1',
      arrivals: '1',
      delivery: {
        ...{ sequence: '1', eventId: 'evt_1', type: 'reservation.created', body: '{}', traceparent: null },
        ...{ attempts: 0, retriesFrom: 0, hasMore: false, recordedAt: 0 },
      },
    },
  ],
}
const target = {
  ...{ revision: '1', url: 'https://a.example', payload: 'full', keys: [] },
  ...{ failuresInRow: 0, breakerOpened: 0, breakerOpenFor: null },
}

/** Runs one round for a callback that has been idle, given what its lanes hold. @returns what happened, in order */
async function roundAfterIdleness(claimed: ClaimedCallback): Promise<string[]> {
  const now = performance.now()
  const lanes = new CallbackLanes({ connectionId: 'con_1', epoch: '1' }, now - IDLE, now + IDLE)
  const steps: string[] = []
  const { promise: polled, resolve: isPolled } = Promise.withResolvers<void>()
  const handBack = async (idle: readonly unknown[]) => {
    if (idle.length > 0) steps.push('handed back')
    isPolled()
  }
  const make = async () => {
    steps.push('sent')
    return null
  }
  const leases = { held: [lanes], count: 1, start: async () => undefined, acquire: async () => false, handBack }
  const dispatcher = new Dispatcher(
    { ...leases, stop: async () => undefined } as unknown as LeaseKeeper,
    { claim: async () => new Map([['con_1', claimed]]) } as unknown as LaneStore,
    { read: async () => new Map([['con_1', target]]) } as unknown as DeliveryTargetStore,
    { make } as unknown as Attempts,
    { onWritten: () => undefined, settled: async () => undefined } as unknown as DeliveryResults,
    { onSignal: () => undefined } as unknown as DeliverySignals,
    { warn: (line: object) => steps.push(JSON.stringify(line)) } as unknown as Logger,
  )
  dispatcher.onApplicationBootstrap()
  await polled
  await dispatcher.onModuleDestroy()
  return steps
}

describe('a lease without work for ten seconds', () => {
  it('is handed back', async () => {
    expect((await roundAfterIdleness({ ...due, lanes: [] })).slice(0, 1)).toEqual(['handed back'])
  })

  it('is kept when a lane is due in the same round, and its delivery is sent', async () => {
    expect((await roundAfterIdleness(due)).slice(0, 1)).toEqual(['sent'])
  })
})
