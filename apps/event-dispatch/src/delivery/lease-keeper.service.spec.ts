import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import type { InstanceName } from '@connectivity/kafka/broker'
import { createLogger } from '@connectivity/service-kit/logging'
import { eventually } from '@connectivity/testing/eventually'
import { LeaseKeeper } from './lease-keeper.service.js'
import type { Lease, LeaseStore } from './lease.store.js'

const name = { instance: 'dispatch-1', hold: async () => true } as InstanceName
const log = createLogger('test', 'silent')
const ids = (leases: readonly Lease[]) => leases.map(({ connectionId }) => connectionId)

/** Time between two renewals, ms. */
const RENEW_EVERY = 3_000
/** Time for several attempts at a locked callback, ms. */
const SOME_PAUSES = 100

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'queueMicrotask', 'setImmediate'] }))
afterEach(() => void jest.useRealTimers())

/** A keeper with two leases; `renew` and `handBack` give the result of each call. */
async function keeperOf(
  renew: (leases: readonly Lease[]) => { renewed: string[]; lost: string[] },
  handBack: (leases: readonly Lease[]) => string[] = ids,
) {
  const store = {
    acquire: async () => ['con_1', 'con_2'].map((connectionId, index) => ({ connectionId, epoch: String(index) })),
    renew: async (leases: readonly Lease[]) => {
      const { renewed, lost } = renew(leases)
      return { renewed: new Set(renewed), lost: new Set(lost) }
    },
    takeBack: async () => 0,
    handBack: async (leases: readonly Lease[]) => new Set(handBack(leases)),
  } as unknown as LeaseStore
  const keeper = new LeaseKeeper(store, name, log)
  await keeper.acquire()
  await keeper.start()
  return keeper
}

describe('leases', () => {
  it('are renewed although their callback is locked most of the time', async () => {
    const asked: string[][] = []
    const keeper = await keeperOf((leases) => {
      asked.push(ids(leases))
      return { renewed: asked.length === 1 ? ['con_1'] : asked.length === 4 ? ['con_2'] : [], lost: [] }
    })
    const before = [...keeper.held].map(({ leasedUntil }) => leasedUntil)
    jest.advanceTimersByTime(RENEW_EVERY)
    await eventually(() => expect(asked).toHaveLength(4))
    await eventually(() =>
      [...keeper.held].forEach(({ leasedUntil }, index) => expect(leasedUntil).toBeGreaterThan(before[index]!)),
    )
    expect(asked).toEqual([['con_1', 'con_2'], ['con_2'], ['con_2'], ['con_2']])
    await keeper.stop()
  })

  it('are given up at once if another process has taken them', async () => {
    const keeper = await keeperOf(() => ({ renewed: ['con_2'], lost: ['con_1'] }))
    const [first] = [...keeper.held]
    jest.advanceTimersByTime(RENEW_EVERY)
    await eventually(() => expect([...keeper.held].map(({ lease }) => lease.connectionId)).toEqual(['con_2']))
    expect(first!.stopped.signal.aborted).toBe(true)
    await keeper.stop()
  })

  it('are not renewed any more once they are handed back', async () => {
    let asked = 0
    const keeper = await keeperOf(() => {
      asked += 1
      if (asked === 2) void keeper.handBack([...keeper.held])
      return { renewed: [], lost: [] }
    })
    jest.advanceTimersByTime(RENEW_EVERY)
    await eventually(() => expect(keeper.count).toBe(0))
    await delay(SOME_PAUSES)
    expect(asked).toBe(2)
    await keeper.stop()
  })

  it.each([
    ['was locked for a moment', [[], ['con_1'], ['con_2']], [['con_1', 'con_2'], ['con_1', 'con_2'], ['con_2']]],
    ['stays locked, four times in all', [['con_1'], [], [], []], [['con_1', 'con_2'], ['con_2'], ['con_2'], ['con_2']]],
  ])('are handed back again if their callback %s', async (_what, results, expected) => {
    const asked: string[][] = []
    const keeper = await keeperOf(
      () => ({ renewed: [], lost: [] }),
      (leases) => {
        asked.push(ids(leases))
        return results[asked.length - 1]!
      },
    )
    await keeper.handBack([...keeper.held])
    expect(asked).toEqual(expected)
    expect(keeper.count).toBe(0)
    await keeper.stop()
    expect(asked).toEqual(expected)
  })
})
