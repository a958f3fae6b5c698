import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@connectivity/testing/eventually'
import { type Dispatching, startDispatching } from './dispatch-in-process.js'

describe('an event that fails at a callback', () => {
  let { db, receivers, stop } = {} as Dispatching
  beforeAll(async () => ({ db, receivers, stop } = await startDispatching()))
  afterAll(() => stop())

  /** Makes an attempt that asks to wait for an hour, and changes the callback while it is in flight. */
  async function changeInFlight(connectionId: string, url: string): Promise<void> {
    await db.connect({ connection_id: connectionId })
    await db.configure(connectionId, { url: 'http://127.0.0.1:9/' })
    const before = receivers.received.length
    receivers.react = () => ({ status: 429, retryAfter: 3_600, after: 300 })
    await db.record({ connectionId })
    await eventually(() => expect(receivers.received).toHaveLength(before + 1))
    receivers.react = () => ({ status: 204 })
    await db.configure(connectionId, { url })
  }
  const delivery = async (connectionId: string) =>
    (
      await db.rows<{ state: string; attempts: number; waits: boolean }>(
        'SELECT state, attempts, retry_at > now() AS waits FROM delivery WHERE connection_id = $1',
        [connectionId],
      )
    )[0]

  it('goes to a new URL at once, even if it was in flight to the old one', async () => {
    await changeInFlight('con_1', 'http://127.0.0.1:10/')
    await eventually(async () => expect(await delivery('con_1')).toMatchObject({ state: 'delivered', attempts: 2 }))
  })

  it('waits for its retry if the callback changes otherwise', async () => {
    await changeInFlight('con_2', 'http://127.0.0.1:9/')
    await eventually(async () =>
      expect(await delivery('con_2')).toEqual({ state: 'pending', attempts: 1, waits: true }),
    )
  })
})

/** Time for which a breaker opens at first, ms. */
const SHORTEST_BREAK = 30_000

describe('a callback that changes while an attempt at its old URL is in flight', () => {
  let { db, receivers, stop } = {} as Dispatching
  beforeAll(async () => ({ db, receivers, stop } = await startDispatching()))
  afterAll(() => stop())

  /**
   * Makes an attempt after seven failures, and changes the URL before it ends. The results meet the lock of the change,
   * and are written after its commit.
   */
  async function answerDuringChange(connectionId: string, status: number): Promise<void> {
    await db.connect({ connection_id: connectionId })
    await db.configure(connectionId, { url: 'http://127.0.0.1:9/' })
    await db.rows('UPDATE callback SET failures_in_row = 7 WHERE connection_id = $1', [connectionId])
    const before = receivers.received.length
    receivers.react = () => ({ status, after: 100 })
    await db.record({ connectionId })
    await eventually(() => expect(receivers.received).toHaveLength(before + 1))
    receivers.react = () => ({ status: 204 })
    await db.database.transaction(async (tx) => {
      const change = `UPDATE callback SET url = 'http://127.0.0.1:10/', revision = revision + 1, failures_in_row = 0
                       WHERE connection_id = $1`
      await tx.query(change, [connectionId])
      await delay(200)
    })
  }
  const callback = async (connectionId: string) =>
    (
      await db.rows(
        `SELECT callback.state, failures_in_row, breaker_open_until, d.state AS delivery, d.attempts
           FROM callback JOIN delivery d USING (connection_id) WHERE connection_id = $1`,
        [connectionId],
      )
    )[0]

  it.each([
    ['suspended by a 410', 410],
    ['held back for failures', 500],
  ])('is not %s of the old URL', async (_what, status) => {
    const connectionId = `con_${status}`
    await answerDuringChange(connectionId, status)
    await eventually(async () =>
      expect(await callback(connectionId)).toEqual({
        ...{ state: 'active', failures_in_row: 0, breaker_open_until: null },
        ...{ delivery: 'delivered', attempts: 2 },
      }),
    )
    const [first, second] = receivers.received.filter(({ callback }) => callback === connectionId)
    expect(second!.at - first!.at).toBeLessThan(SHORTEST_BREAK / 2)
  })
})
