import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@connectivity/testing/eventually'
import { createLogger } from '@connectivity/service-kit/logging'
import { WaitingDeliveriesStore } from '../src/backlog/waiting-deliveries.store.js'
import { StrandedDeliveries } from '../src/delivery/stranded-deliveries.service.js'
import { StrandedDeliveriesStore } from '../src/delivery/stranded-deliveries.store.js'
import { type DispatchDatabase, dispatchDatabase, dispatcherOver } from './dispatch-in-process.js'
import { FakeReceivers } from './fake-receiver.js'

const CONNECTIONS = Array.from({ length: 8 }, (_, index) => `con_${index}`)
const RESERVATIONS = 100

const checkOf = ({ database }: DispatchDatabase) =>
  new StrandedDeliveries(new StrandedDeliveriesStore(database), createLogger('test', 'silent'))

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
      expect(await checkOf(db).rescue()).toBe(0)
      expect(await db.rows('SELECT FROM lane')).toEqual([])
      expect(receivers.violations).toEqual([])
      expect(receivers.received).toHaveLength(CONNECTIONS.length * RESERVATIONS * 2)
    } finally {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()))
      await db.end()
    }
  })

  it('keeps its lane when the lane ends with the deliveries of a deleted callback', async () => {
    const db = await dispatchDatabase()
    try {
      await db.connect({ connection_id: 'con_1' })
      await db.configure('con_1')
      await db.record({})
      const waiting = new WaitingDeliveriesStore()
      await db.recordBeside({}, () => db.database.transaction((tx) => waiting.endSome(tx, 'con_1', '1')))
      expect(await db.rows(`SELECT sequence::int FROM delivery WHERE state = 'pending'`)).toEqual([{ sequence: 2 }])
      expect(await db.rows('SELECT reservation_id FROM lane')).toEqual([{ reservation_id: 'RSV-1' }])
    } finally {
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
      const stranded = checkOf(db)
      expect([await stranded.rescue(), await stranded.rescue()]).toEqual([2, 0])
      expect(await db.rows('SELECT FROM lane')).toHaveLength(2)
    } finally {
      await db.end()
    }
  })

  it('is rescued among thousands of others, of one reservation or of many', async () => {
    const db = await dispatchDatabase()
    try {
      await db.rows(`INSERT INTO delivery (connection_id, sequence, reservation_id, state)
                     SELECT 'con_1', n, CASE WHEN n <= 6000 THEN 'RSV-0' ELSE 'RSV-' || n END, 'pending'
                       FROM generate_series(1, 18000) AS n`)
      await db.rows(
        `INSERT INTO lane (connection_id, reservation_id) SELECT DISTINCT connection_id, reservation_id FROM delivery`,
      )
      await db.rows(`DELETE FROM lane WHERE reservation_id IN ('RSV-6001', 'RSV-12000', 'RSV-9999')`)
      const check = checkOf(db)
      // A check lasts one second; on a slow machine the next one goes on where it ended.
      let rescued = 0
      await eventually(async () => {
        rescued += await check.rescue()
        expect(await db.rows('SELECT FROM lane')).toHaveLength(12_001)
      })
      expect([rescued, await check.rescue()]).toEqual([3, 0])
    } finally {
      await db.end()
    }
  })
})
