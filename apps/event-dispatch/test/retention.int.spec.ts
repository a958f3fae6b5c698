import { EventRetentionStore } from '../src/intake/event-retention.store.js'
import { EventIndexStore } from '../src/events/event-index.store.js'
import { dispatchDatabase } from './dispatch-in-process.js'

describe('events older than 30 days', () => {
  it('are dropped with all their data, and readers by sequence can notice', async () => {
    const db = await dispatchDatabase()
    try {
      await db.record(...Array.from({ length: 1_500 }, () => ({})), { connectionId: 'con_2' })
      await db.rows(`INSERT INTO acknowledgement (connection_id, sequence, outcome) VALUES ('con_1', 3, 'processed')`)
      await db.rows(`INSERT INTO delivery_attempt SELECT connection_id, sequence, 1, now(), 'https://a/', 'full', 200, null, 1
        FROM delivery WHERE sequence IN (1, 1300)`)
      await db.rows(`UPDATE delivery SET unacknowledged = false WHERE connection_id = 'con_1' AND sequence = 3`)
      await db.rows(`UPDATE event_summary SET unacknowledged = unacknowledged - 1 WHERE connection_id = 'con_1'`)
      await db.rows(
        `UPDATE event SET received_at = now() - interval '30 days 1 minute' WHERE connection_id = 'con_1' AND sequence <= 1200`,
      )
      await db.rows(`UPDATE event SET received_at = now() - interval '29 days' WHERE connection_id = 'con_2'`)
      const store = new EventRetentionStore(db.database, 30)
      expect([await store.drop(), await store.drop(), await store.drop()]).toEqual([1_000, 200, 0])
      const left = await db.rows(`SELECT connection_id, count(*)::int AS n FROM delivery GROUP BY 1 ORDER BY 1`)
      expect(left).toEqual([
        { connection_id: 'con_1', n: 300 },
        { connection_id: 'con_2', n: 1 },
      ])
      expect(await db.rows('SELECT FROM event')).toHaveLength(301)
      expect(await db.rows('SELECT FROM acknowledgement')).toEqual([])
      expect(await db.rows('SELECT sequence::int FROM delivery_attempt ORDER BY connection_id, sequence')).toEqual([
        { sequence: 1_300 },
        { sequence: 1 },
      ])
      expect(await db.rows(`SELECT unacknowledged::int FROM event_summary ORDER BY connection_id`)).toEqual([
        { unacknowledged: 300 },
        { unacknowledged: 1 },
      ])
      const index = new EventIndexStore(db.database)
      expect((await index.head('con_1')).droppedSequence).toBe(1_200)
      expect((await index.head('con_2')).droppedSequence).toBe(0)
    } finally {
      await db.end()
    }
  })

  it('are dropped with their lanes, unless a delivery still waits in the lane', async () => {
    const db = await dispatchDatabase()
    try {
      await db.connect({ connection_id: 'con_1' })
      await db.configure('con_1')
      await db.record({}, {}, { reservationId: 'RSV-2' }, { reservationId: 'RSV-2' }, { reservationId: 'RSV-3' })
      await db.rows(`UPDATE delivery SET state = 'superseded' WHERE reservation_id = 'RSV-3'`)
      await db.connect({ connection_id: 'con_1', state: 'closed', version: 2 })
      await db.rows(`UPDATE event SET received_at = now() - interval '31 days' WHERE sequence <> 4`)
      expect(await new EventRetentionStore(db.database, 30).drop()).toBe(4)
      expect(await db.rows('SELECT reservation_id FROM lane')).toEqual([{ reservation_id: 'RSV-2' }])
    } finally {
      await db.end()
    }
  })

  it('are dropped without the lane of an event that is recorded at the same time', async () => {
    const db = await dispatchDatabase()
    try {
      await db.connect({ connection_id: 'con_1' })
      await db.configure('con_1')
      await db.record({})
      await db.rows(`UPDATE event SET received_at = now() - interval '31 days'`)
      await db.recordBeside({}, () => new EventRetentionStore(db.database, 30).drop())
      expect(await db.rows('SELECT sequence::int FROM delivery')).toEqual([{ sequence: 2 }])
      expect(await db.rows('SELECT reservation_id FROM lane')).toEqual([{ reservation_id: 'RSV-1' }])
    } finally {
      await db.end()
    }
  })
})
