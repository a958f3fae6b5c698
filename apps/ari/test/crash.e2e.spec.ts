import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@connectivity/testing/eventually'
import { Client } from 'pg'
import { ari, property, useAri } from './ari-under-test.js'
import { day, ofRoom } from './property-under-test.js'

useAri()

const attempt = (key: string, availability: number) =>
  property.writeWith({ key }, ofRoom(availability)).catch(() => ({ status: 0, json: {}, headers: new Headers() }))
const firstDay = async () => (await property.state()).rooms[0]?.days[0]?.availability
const revisions = () => property.published().map(({ ari_revision }) => ari_revision)

/** Repeats the call, as a partner does, until it is answered. */
const insist = (key: string, availability: number) =>
  eventually(async () => {
    const answer = await attempt(key, availability)
    expect(answer.status).toBe(200)
    return answer
  })

async function restart(): Promise<void> {
  await ari.service.kill()
  await ari.service.start()
}

describe('a process that is killed', () => {
  it('in the middle of a write leaves no trace of it, and the retry takes effect once', async () => {
    const key = `${property.propertyId}-1`
    await property.write(ofRoom(1))
    // Locks the last cell of the call, so that the write stops halfway.
    const holder = new Client({ connectionString: ari.databaseUrl })
    await holder.connect()
    await holder.query('BEGIN')
    const held = await holder.query(
      `SELECT FROM cell JOIN series USING (series_id) WHERE property_id = $1 AND date = $2 FOR UPDATE OF cell`,
      [property.propertyId, day(3)],
    )
    expect(held.rowCount).toBe(1)
    const first = attempt(key, 2)
    await eventually(async () => {
      const waiting = await ari.sql.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name LIKE 'ari-%'
            AND datname = current_database()`,
      )
      expect(waiting.rowCount).toBe(1)
    })
    await restart()
    expect((await first).status).toBe(0)
    await holder.query('ROLLBACK')
    await holder.end()
    expect(await firstDay()).toBe(1)
    const retried = await insist(key, 2)
    expect(retried.json).toMatchObject({ ari_revision: 2, cells_written: 3 })
    expect(retried.headers.get('idempotent-replayed')).toBeNull()
    expect(await firstDay()).toBe(2)
    const again = await insist(key, 2)
    expect([again.headers.get('idempotent-replayed'), again.json]).toEqual(['true', retried.json])
    await property.write(ofRoom(3))
    await eventually(() => expect(revisions()).toEqual([1, 2, 3]))
  })

  it('between the commit and its answer has written once, and the retry returns that answer', async () => {
    const key = `${property.propertyId}-1`
    const first = attempt(key, 5)
    await eventually(async () => expect(await property.writers()).toHaveLength(3))
    await restart()
    await first
    const retried = await insist(key, 5)
    expect(retried.headers.get('idempotent-replayed')).toBe('true')
    expect(retried.json).toMatchObject({ ari_revision: 1, cells_written: 3 })
    await eventually(() => expect(revisions()).toEqual([1]))
  })

  it('repeatedly at any moment loses no call, applies none twice and publishes each in order', async () => {
    const CALLS = 60
    let stopped = false
    const killing = (async () => {
      for (let kill = 0; kill < 3; kill++) {
        await delay(200 + Math.random() * 400)
        if (!stopped) await restart()
      }
    })()
    const answers = []
    for (let call = 1; call <= CALLS; call++) answers.push(await insist(`${property.propertyId}-${call}`, call))
    stopped = true
    await killing
    expect(answers.map(({ json }) => (json as { ari_revision: number }).ari_revision)).toEqual(
      Array.from({ length: CALLS }, (_, index) => index + 1),
    )
    expect((await property.state()).ari_revision).toBe(CALLS)
    await eventually(() => expect(revisions()).toEqual(Array.from({ length: CALLS }, (_, index) => index + 1)))
    // All messages, repeated ones included: no new one is older than one already seen.
    const inOrder = ari.published.filter(({ key }) => key === property.propertyId).map(({ event }) => event.data)
    let highest = 0
    for (const { ari_revision, updates } of inOrder) {
      expect(ari_revision).toBeLessThanOrEqual(highest + 1)
      expect(updates[0]!.availability).toBe(ari_revision)
      highest = Math.max(highest, ari_revision)
    }
  }, 180_000)
})
