import { eventually } from '@connectivity/testing/eventually'
import { WaitingDeliveriesStore } from '../src/backlog/waiting-deliveries.store.js'
import { allEvents, type DispatchDatabase, type Dispatching, startDispatching } from './dispatch-in-process.js'
import { envelope } from './reservation-event.js'

let { db, receivers, dispatcher, stop } = {} as Dispatching
beforeAll(async () => ({ db, receivers, dispatcher, stop } = await startDispatching()))
afterAll(() => stop())

let connections = 0
/** Creates a connection for the test, with a callback unless null is given. */
async function connected(callback: Parameters<DispatchDatabase['configure']>[1] | null = {}): Promise<string> {
  const id = `con_${++connections}`
  await db.connect({ connection_id: id })
  if (callback) await db.configure(id, callback)
  receivers.react = () => ({ status: 204 })
  return id
}

interface DeliveryRow {
  state: string
  attempts: number
  last_status: number | null
  last_error: string | null
}
const deliveries = (connectionId: string) =>
  db.rows<DeliveryRow>(
    `SELECT state, attempts, last_status, last_error FROM delivery WHERE connection_id = $1 ORDER BY sequence`,
    [connectionId],
  )
const states = async (connectionId: string) => (await deliveries(connectionId)).map(({ state }) => state)
const callback = async (connectionId: string) =>
  (
    await db.rows<Record<string, unknown> & { breaker_open: number | null }>(
      `SELECT *, extract(epoch FROM breaker_open_until - now())::float8 AS breaker_open FROM callback WHERE connection_id = $1`,
      [connectionId],
    )
  )[0]!
interface Lane {
  reservation_id: string
  gap: number
}
const lanes = (connectionId: string) =>
  db.rows<Lane>(
    `SELECT reservation_id, extract(epoch FROM due_at - now())::float8 AS gap FROM lane WHERE connection_id = $1`,
    [connectionId],
  )
const receivedOf = (connectionId: string) => receivers.received.filter((one) => one.callback === connectionId)
const makeDue = async (connectionId: string) => {
  await db.rows('UPDATE lane SET due_at = now() WHERE connection_id = $1', [connectionId])
  await db.rows('NOTIFY deliveries_due')
}
const allDelivered = (connectionId: string) =>
  eventually(async () => expect(new Set(await states(connectionId))).toEqual(new Set(['delivered'])))

describe('deliveries', () => {
  it('go out in order per reservation, byte for byte, and leave no lane behind', async () => {
    const id = await connected()
    for (let round = 0; round < 5; round++) {
      const reservations = Array.from({ length: 40 }, (_, index) => `RSV-${index % 8}`)
      await db.record(...reservations.map((reservationId) => ({ connectionId: id, reservationId })))
    }
    await allDelivered(id)
    expect(await lanes(id)).toEqual([])
    expect(receivers.violations).toEqual([])
    expect(receivedOf(id)).toHaveLength(200)
    const first = { connectionId: id, reservationId: 'RSV-0', sequence: 1, type: 'reservation.modified' } as const
    expect(receivedOf(id)[0]!.body).toBe(envelope(first))
  })

  it('leave the reservation out when the callback is thin', async () => {
    const id = await connected({ payload: 'thin' })
    await db.record({ connectionId: id })
    await allDelivered(id)
    const event = JSON.parse(receivedOf(id)[0]!.body) as { data: object; sequence: number }
    expect([event.data, event.sequence]).toEqual([{ previous_status: null, changes: [] }, 1])
  })

  it('belong to the trace of their event, if it has one', async () => {
    const id = await connected()
    const traceparent = `00-${'a'.repeat(32)}-00f067aa0ba902b7-01`
    await db.record({ connectionId: id, traceparent }, { connectionId: id })
    await allDelivered(id)
    expect(receivedOf(id).map((received) => received.traceparent)).toEqual([traceparent, null])
  })

  it('are not configured without a callback or when their type is filtered out', async () => {
    const [none, filtered] = [await connected(null), await connected({ events: ['reservation.cancelled'] })]
    await db.record({ connectionId: none }, { connectionId: filtered })
    await db.record({ connectionId: filtered, type: 'reservation.cancelled' })
    await eventually(async () => expect(await states(filtered)).toEqual(['not_configured', 'delivered']))
    expect(await states(none)).toEqual(['not_configured'])
    expect(await lanes(none)).toEqual([])
  })

  it('reach up to 16 in flight at a callback that answers well', async () => {
    const id = await connected()
    receivers.react = () => ({ status: 200, after: 20 })
    await db.record(...Array.from({ length: 300 }, (_, index) => ({ connectionId: id, reservationId: `RSV-${index}` })))
    await allDelivered(id)
    expect(receivers.most.get(id)).toBe(16)
  })

  it('are tried again after a gap, and later events of the reservation wait', async () => {
    const id = await connected()
    receivers.react = ({ sequence, attempt }) => ({ status: sequence === 1 && attempt === 1 ? 500 : 200 })
    await db.record({ connectionId: id }, { connectionId: id }, { connectionId: id, reservationId: 'RSV-2' })
    await eventually(async () => expect(await states(id)).toEqual(['pending', 'pending', 'delivered']))
    expect((await deliveries(id))[0]).toMatchObject({ attempts: 1, last_status: 500, last_error: 'unexpected_status' })
    const [{ gap }] = (await lanes(id)) as [Lane, ...Lane[]]
    expect(gap).toBeGreaterThan(3)
    expect(gap).toBeLessThanOrEqual(6)
    const [{ due }] = (await db.rows(
      `UPDATE lane SET due_at = due_at - interval '4 s' WHERE connection_id = $1
       RETURNING extract(epoch FROM due_at)::float8 * 1000 AS due`,
      [id],
    )) as [{ due: number }]
    await db.rows('NOTIFY deliveries_due')
    await allDelivered(id)
    const [first, again, second] = receivedOf(id).filter(({ reservationId }) => reservationId === 'RSV-1')
    expect([first!.sequence, again!.sequence, second!.sequence]).toEqual([1, 1, 2])
    const [failedAt, retriedAt] = [first!, again!].map(({ at }) => performance.timeOrigin + at) as [number, number]
    expect(due + 4_000 - failedAt).toBeGreaterThanOrEqual(5_000)
    expect(retriedAt).toBeGreaterThanOrEqual(due)
    expect(receivers.violations).toEqual([])
  })

  it('show the next attempt of the first event per reservation, not before an open breaker ends', async () => {
    const id = await connected()
    receivers.react = () => ({ status: 500 })
    await db.record({ connectionId: id }, { connectionId: id })
    const announced = async () => {
      const entries = await allEvents(db, id)
      return entries.map(({ dueAt }) => dueAt && dueAt.getTime() - Date.now() > 30_000)
    }
    await eventually(async () => expect((await deliveries(id))[0]!.attempts).toBe(1))
    await db.rows(`UPDATE delivery SET attempts = 3 WHERE connection_id = $1 AND sequence = 2`, [id])
    expect(await announced()).toEqual([false, null])
    await db.rows(`UPDATE callback SET breaker_open_until = now() + interval '60 s' WHERE connection_id = $1`, [id])
    expect(await announced()).toEqual([true, null])
  })

  it('wait as long as Retry-After says', async () => {
    const id = await connected()
    receivers.react = () => ({ status: 429, retryAfter: 3_600 })
    await db.record({ connectionId: id })
    await eventually(async () => expect((await deliveries(id))[0]!.attempts).toBe(1))
    const [{ gap }] = (await lanes(id)) as [Lane, ...Lane[]]
    expect(gap).toBeGreaterThan(3_500)
    expect(gap).toBeLessThanOrEqual(3_600 * 1.2)
  })

  it('fail after the 15th attempt, and the reservation continues', async () => {
    const id = await connected()
    receivers.react = ({ sequence }) => ({ status: sequence === 1 ? 500 : 200 })
    await db.configure(id, { state: 'suspended' })
    await db.record({ connectionId: id }, { connectionId: id })
    const longAgo = `UPDATE delivery SET attempts = 14, failed_at = now() - interval '12 h'`
    await db.rows(`${longAgo} WHERE connection_id = $1 AND sequence = 1`, [id])
    await db.configure(id)
    await eventually(async () => expect(await states(id)).toEqual(['failed', 'delivered']))
    expect((await deliveries(id))[0]!.attempts).toBe(15)
    const failedNow = `SELECT FROM delivery WHERE connection_id = $1 AND failed_at > now() - interval '1 h'`
    expect(await db.rows(failedNow, [id])).toHaveLength(1)
    expect(await lanes(id)).toEqual([])
  })
})

describe('a callback', () => {
  it('is suspended at once by a 410; after a resume the refused event goes first and alone', async () => {
    const id = await connected()
    receivers.react = ({ sequence }) => ({ status: sequence === 3 ? 410 : 200, after: 5 })
    await db.record({ connectionId: id, reservationId: 'RSV-A' }, { connectionId: id, reservationId: 'RSV-B' })
    await eventually(async () => expect(await states(id)).toEqual(['delivered', 'delivered']))
    await db.record({ connectionId: id, reservationId: 'RSV-C' })
    await eventually(async () => expect((await callback(id)).state).toBe('suspended'))
    await db.record(...['RSV-D', 'RSV-E'].map((reservationId) => ({ connectionId: id, reservationId })))
    expect(await states(id)).toEqual(['delivered', 'delivered', 'pending', 'pending', 'pending'])
    const before = receivedOf(id).length
    receivers.react = () => ({ status: 200, after: 30 })
    await db.database.transaction(async (tx) => {
      await tx.query(`UPDATE callback SET state = 'active', suspended_at = NULL WHERE connection_id = $1`, [id])
      await new WaitingDeliveriesStore().release(tx, id)
    })
    await allDelivered(id)
    const [first, second] = receivedOf(id).slice(before)
    expect(first).toMatchObject({ sequence: 3, attempt: 2 })
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(29)
  })

  it('is suspended after five days without a success', async () => {
    const id = await connected()
    receivers.react = () => ({ status: 500 })
    await db.record({ connectionId: id })
    await eventually(async () => expect((await callback(id)).failing_since).not.toBeNull())
    expect((await callback(id)).state).toBe('active')
    await db.rows(`UPDATE callback SET failing_since = now() - interval '5 days' WHERE connection_id = $1`, [id])
    await makeDue(id)
    await eventually(async () => expect((await callback(id)).state).toBe('suspended'))
    expect(await states(id)).toEqual(['pending'])
  })

  it('resets its failures at a success', async () => {
    const id = await connected()
    receivers.react = ({ attempt }) => ({ status: attempt === 1 ? 500 : 200 })
    await db.record({ connectionId: id })
    await eventually(async () => expect((await callback(id)).failing_since).not.toBeNull())
    await makeDue(id)
    await allDelivered(id)
    expect(await callback(id)).toMatchObject({ failing_since: null, failures_in_row: 0 })
    expect((await callback(id)).last_success_at).not.toBeNull()
  })

  it('gets nothing while its breaker is open, and uses up no attempts', async () => {
    const id = await connected()
    receivers.react = () => ({ status: 500 })
    await db.record(...Array.from({ length: 60 }, (_, index) => ({ connectionId: id, reservationId: `RSV-${index}` })))
    await eventually(async () => expect((await callback(id)).breaker_open).toBeGreaterThan(20))
    await eventually(async () =>
      expect((await deliveries(id)).filter(({ attempts }) => attempts > 0)).toHaveLength(receivedOf(id).length),
    )
    const reached = receivedOf(id).length
    expect(reached).toBeGreaterThanOrEqual(8)
    expect(reached).toBeLessThanOrEqual(8 + 2)
    await makeDue(id)
    const other = await connected()
    await db.record({ connectionId: other })
    await allDelivered(other)
    expect(receivedOf(id)).toHaveLength(reached)
  })

  it('of a disabled connection is held until the connection is enabled again', async () => {
    const id = await connected()
    await db.connect({ connection_id: id, state: 'disabled', version: 2 })
    await db.record({ connectionId: id }, { connectionId: id })
    const other = await connected()
    await db.record({ connectionId: other })
    await allDelivered(other)
    expect(await states(id)).toEqual(['pending', 'pending'])
    await db.connect({ connection_id: id, state: 'production', version: 3 })
    await allDelivered(id)
    expect(receivedOf(id).map(({ sequence }) => sequence)).toEqual([1, 2])
  })

  it('whose secret cannot be opened delays no other', async () => {
    const [broken, well] = [await connected(), await connected()]
    await db.rows(`UPDATE callback SET secret = 'sealed:k9:AAAA:AAAA' WHERE connection_id = $1`, [broken])
    await db.record({ connectionId: broken }, { connectionId: well })
    await allDelivered(well)
    expect(await states(broken)).toEqual(['pending'])
  })

  it('whose secret can no longer be opened keeps no lane in hand, so that its lease is handed back', async () => {
    const id = await connected()
    await db.record({ connectionId: id })
    await allDelivered(id)
    await db.configure(id, { state: 'suspended' })
    await db.record({ connectionId: id })
    const held = [...dispatcher.leases.held].find(({ lease }) => lease.connectionId === id)!
    await db.rows(
      `UPDATE callback SET state = 'active', secret = 'sealed:k9:AAAA:AAAA', revision = revision + 1 WHERE connection_id = $1`,
      [id],
    )
    await makeDue(id)
    await eventually(() => expect(held.isClosed).toBe(true))
    expect(held.isBusy).toBe(false)
    expect(await states(id)).toEqual(['delivered', 'pending'])
  })

  it('that hangs delays no other', async () => {
    const [hanging, well] = [await connected(), await connected()]
    receivers.react = (one) => ({ status: one.callback === hanging ? null : 200 })
    const of = (connectionId: string) =>
      Array.from({ length: 100 }, (_, index) => ({ connectionId, reservationId: `RSV-${index}` }))
    await db.record(...of(hanging))
    await db.record(...of(well))
    await allDelivered(well)
    expect(await states(hanging)).not.toContain('delivered')
  })
})
