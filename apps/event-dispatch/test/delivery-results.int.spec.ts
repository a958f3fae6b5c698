import { DeliveryResultStore } from '../src/delivery/delivery-result.store.js'
import { LaneStore } from '../src/delivery/lane.store.js'
import { LeaseStore } from '../src/delivery/lease.store.js'
import { dispatchDatabase, type DispatchDatabase } from './dispatch-in-process.js'

describe('the result of an attempt', () => {
  let db: DispatchDatabase
  beforeEach(async () => (db = await dispatchDatabase()))
  afterEach(() => db.end())

  it('counts once when it is written again, as after a connection that was lost after the commit', async () => {
    await db.connect({})
    await db.configure('con_1')
    await db.record({})
    const [lease] = await new LeaseStore(db.database).acquire('dispatch-1')
    const claimed = await new LaneStore(db.database).claim([{ lease: lease!, wanted: 1, busy: [] }])
    const { reservationId, arrivals, delivery } = claimed.get('con_1')!.lanes[0]!
    const verdict = { kind: 'retry', status: 500, error: 'unexpected_status', timedOut: false, gap: 5_000 } as const
    const target = { at: Date.now(), url: 'http://127.0.0.1:9/', payload: 'full' } as const
    const attempt = { ...delivery!, ...target, verdict, durationMs: 1, excerpt: null }
    const results = [{ lease: lease!, reservationId, arrivals, hasMore: false, attempt }]
    const store = new DeliveryResultStore(db.database)
    for (let time = 0; time < 2; time++) await store.write(results, [])
    expect(await db.rows('SELECT state, attempts FROM delivery')).toEqual([{ state: 'pending', attempts: 1 }])
    expect(await db.rows('SELECT number FROM delivery_attempt')).toEqual([{ number: 1 }])
    expect(await db.rows('SELECT FROM lane')).toHaveLength(1)
  })
})
