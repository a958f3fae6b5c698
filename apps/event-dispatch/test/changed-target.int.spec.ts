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
