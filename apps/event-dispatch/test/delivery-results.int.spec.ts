import { DeliveryResultStore } from '../src/delivery/delivery-result.store.js'
import { LaneStore } from '../src/delivery/lane.store.js'
import { LeaseStore } from '../src/delivery/lease.store.js'
import { EventAttemptsStore } from '../src/events/event-attempts.store.js'
import { dispatchDatabase, type DispatchDatabase } from './dispatch-in-process.js'

describe('the result of an attempt', () => {
  let db: DispatchDatabase
  beforeEach(async () => {
    db = await dispatchDatabase()
    await db.connect({})
    await db.configure('con_1')
    await db.record({})
  })
  afterEach(() => db.end())

  /** The result of a failed attempt at the only delivery. */
  async function failedAttempt() {
    const [lease] = await new LeaseStore(db.database).acquire('dispatch-1')
    const claimed = await new LaneStore(db.database).claim([{ lease: lease!, wanted: 1, busy: [] }])
    const { reservationId, arrivals, delivery } = claimed.get('con_1')!.lanes[0]!
    const verdict = { kind: 'retry', status: 500, error: 'unexpected_status', timedOut: false, gap: 5_000 } as const
    const target = { at: Date.now(), url: 'http://127.0.0.1:9/', payload: 'full' } as const
    const attempt = { ...delivery!, ...target, verdict, durationMs: 1, excerpt: null }
    return [{ lease: lease!, reservationId, arrivals, hasMore: false, attempt }]
  }

  it('counts once when it is written again, as after a connection that was lost after the commit', async () => {
    const results = await failedAttempt()
    const store = new DeliveryResultStore(db.database)
    for (let time = 0; time < 2; time++) await store.write(results, [])
    expect(await db.rows('SELECT state, attempts FROM delivery')).toEqual([{ state: 'pending', attempts: 1 }])
    expect(await db.rows('SELECT number FROM delivery_attempt')).toEqual([{ number: 1 }])
    expect(await db.rows('SELECT FROM lane')).toHaveLength(1)
  })

  it('is kept with the 99 before it', async () => {
    await db.rows('UPDATE delivery SET attempts = 149')
    await db.rows(`INSERT INTO delivery_attempt
      SELECT connection_id, sequence, i, now(), 'https://a/', 'full', 200, null, 1 FROM delivery, generate_series(1, 149) i`)
    const [event] = await db.rows<{ event_id: string }>('SELECT event_id FROM event')
    const shown = async () =>
      (await new EventAttemptsStore(db.database).find('con_1', event!.event_id))!.map(({ number }) => number)
    const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
    expect(await shown()).toEqual(numbers(50, 149))
    await new DeliveryResultStore(db.database).write(await failedAttempt(), [])
    expect(await shown()).toEqual(numbers(51, 150))
    expect(await db.rows('SELECT FROM delivery_attempt')).toHaveLength(100)
  })
})
