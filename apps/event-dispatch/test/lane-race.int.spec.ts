import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@connectivity/testing/eventually'
import { StrandedDeliveriesStore } from '../src/delivery/stranded-deliveries.store.js'
import { dispatchDatabase, dispatcherOver } from './dispatch-in-process.js'
import { FakeReceivers } from './fake-receiver.js'

const CONNECTIONS = Array.from({ length: 8 }, (_, index) => `con_${index}`)
const RESERVATIONS = 100

describe('an event that arrives at the moment its lane ends', () => {
  it('is never left behind', async () => {
    const db = await dispatchDatabase()
    await db.connect(...CONNECTIONS.map((connection_id) => ({ connection_id })))
    for (const id of CONNECTIONS) await db.configure(id)
    const receivers = new FakeReceivers(() => ({ status: 204, after: Math.random() * 8 }))
    const dispatchers = ['dispatch-1', 'dispatch-2'].map((name) => dispatcherOver(db.url, receivers, name))
    try {
      // Each reservation's second and last event arrives about when its lane ends with the first: no later event would
      // restore the lane.
      await Promise.all(
        CONNECTIONS.map(async (connectionId) => {
          for (let index = 0; index < RESERVATIONS; index++) {
            await db.record({ connectionId, reservationId: `RSV-${index}` })
            await delay(Math.random() * 20)
            await db.record({ connectionId, reservationId: `RSV-${index}` })
          }
        }),
      )
      await eventually(async () => {
        const [{ waiting }] = (await db.rows<{ waiting: number }>(
          `SELECT count(*)::int AS waiting FROM delivery WHERE state <> 'delivered'`,
        )) as [{ waiting: number }]
        expect(waiting).toBe(0)
      })
      expect(await new StrandedDeliveriesStore(db.database).rescue()).toBe(0)
      expect(await db.rows('SELECT FROM lane')).toEqual([])
      expect(receivers.violations).toEqual([])
      expect(receivers.received).toHaveLength(CONNECTIONS.length * RESERVATIONS * 2)
    } finally {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()))
      await db.end()
    }
  })

  it('is rescued if its lane is missing', async () => {
    const db = await dispatchDatabase()
    try {
      await db.connect({ connection_id: 'con_1' })
      await db.configure('con_1')
      await db.record({}, {}, { reservationId: 'RSV-2' })
      await db.rows(`DELETE FROM lane WHERE reservation_id = 'RSV-1'`)
      const stranded = new StrandedDeliveriesStore(db.database)
      expect([await stranded.rescue(), await stranded.rescue()]).toEqual([2, 0])
      expect(await db.rows('SELECT FROM lane')).toHaveLength(2)
    } finally {
      await db.end()
    }
  })
})
