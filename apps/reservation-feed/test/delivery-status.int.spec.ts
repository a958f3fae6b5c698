import type { Booking } from '@connectivity/contracts/booking-events'
import type { DeliveryRisk } from '@connectivity/contracts/delivery-risks'
import { NO_BODY_HEADER } from '@connectivity/contracts/evidence'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { LOOK_HEADER, ONLY_NEWS } from '@connectivity/contracts/waiting'
import { catalog } from '@connectivity/testing/catalog'
import { eventually } from '@connectivity/testing/eventually'
import { bookingLine } from '@connectivity/testing/events'
import { createLogger } from '@connectivity/service-kit/logging'
import { PollProgress } from '../src/progress/poll-progress.service.js'
import { ProgressStore } from '../src/progress/progress.store.js'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'

const HOUR = 3_600_000
const silent = createLogger('test', 'silent')
const EPOCH = '1970-01-01T00:00:00.000Z'
const dayIn = (days: number): string => new Date(Date.now() + days * 24 * HOUR).toISOString().slice(0, 10)

let feed: FeedInProcess
beforeEach(async () => {
  feed = await feedInProcess()
  await feed.connect({ connection_id: 'con_1', property_id: 'prop_1', environment: 'production', state: 'production' })
  await feed.takeCatalogs(catalog({ connection_id: 'con_1', property_id: 'prop_1', timezone: 'UTC' }))
})
afterEach(() => feed.end())

const book = (reservation_id: string, given: Partial<Booking> = {}) =>
  feed.book([{ reservation_id, property_id: 'prop_1', check_in: dayIn(1), check_out: dayIn(3), ...given }])
const poll = async (query = ''): Promise<FeedPage> => {
  const { status, page } = await feed.poll('con_1', `property_id=con_1${query}`)
  expect(status).toBe(200)
  return page
}
const status = () => feed.statuses.of('con_1')
const lastOf = ({ reservations, errors }: FeedPage): string =>
  [...reservations, ...errors].reduce((last, { updated_at }) => (updated_at > last ? updated_at : last), EPOCH)
const plus = (stamp: string, milliseconds: number): string => new Date(Date.parse(stamp) + milliseconds).toISOString()

/** Moves a row into the past, as if it had waited since. */
async function age(reservationId: string, milliseconds: number): Promise<void> {
  const { rows } = await feed.database.query<{ stamp: string }>(
    'SELECT stamp FROM feed_row WHERE reservation_id = $1',
    [reservationId],
  )
  const stamp = Number(rows[0]!.stamp)
  const texts = [stamp, stamp - milliseconds].map((time) => new Date(time).toISOString())
  await feed.database.query('UPDATE feed_row SET stamp = $2, body = replace(body, $3, $4) WHERE reservation_id = $1', [
    reservationId,
    stamp - milliseconds,
    ...texts,
  ])
}

describe('the status of a connection', () => {
  it('counts everything as waiting while a partner has never polled', async () => {
    await book('R1')
    const { checkpoint, oldest_waiting_at, ...rest } = await status()
    expect(checkpoint).toBe(oldest_waiting_at)
    expect(rest).toEqual({
      schema_version: '1.0.0',
      property_id: 'con_1',
      processed_to: null,
      processed_at: null,
      waiting: 1,
      waiting_is_capped: false,
      at_risk: [],
      last_proven_at: null,
      last_proven_checkpoint: null,
    })
  })

  it('is empty for a connection whose catalog has not arrived', async () => {
    await feed.connect({ connection_id: 'con_2', property_id: 'prop_1' })
    expect(await feed.statuses.of('con_2')).toMatchObject({ checkpoint: EPOCH, processed_to: null, waiting: 0 })
  })

  it('follows the polls: a page that no poll has followed yet is not processed', async () => {
    await book('R1')
    await book('R2')
    const last = lastOf(await poll())
    expect(await status()).toMatchObject({ processed_to: EPOCH, waiting: 2 })
    await poll(`&updated_since=${last}`)
    expect(await status()).toMatchObject({ checkpoint: last, processed_to: last, waiting: 0, oldest_waiting_at: null })
    await book('R3')
    expect(await status()).toMatchObject({ processed_to: last, waiting: 1 })
    await poll()
    expect(await status()).toMatchObject({ processed_to: last, waiting: 1 })
  })

  it('follows cursors, and a 304', async () => {
    for (const id of ['R1', 'R2', 'R3']) await book(id)
    const first = await poll('&limit=2')
    const { page } = await feed.poll('con_1', `property_id=con_1&cursor=${first.pagination.next_cursor}`)
    expect(await status()).toMatchObject({ processed_to: lastOf(first), waiting: 1 })
    const query = `property_id=con_1&updated_since=${lastOf(page)}`
    const { tag } = await feed.poll('con_1', query)
    await book('R4')
    const fresh = (await feed.poll('con_1', query)).tag
    expect((await feed.poll('con_1', query, 'pilot', { 'if-none-match': fresh })).status).toBe(304)
    expect(tag).not.toBe(fresh)
    expect(await status()).toMatchObject({ processed_to: lastOf(page), waiting: 1 })
  })

  it('does not count a row that is later than a bound finer than a millisecond', async () => {
    await feed.book(['R1', 'R2', 'R3'].map((reservation_id) => ({ reservation_id, property_id: 'prop_1' })))
    const first = lastOf(await poll('&limit=1'))
    const second = await poll(`&limit=1&updated_since=${first.replace('Z', '001Z')}`)
    expect(lastOf(second)).toBe(plus(first, 1))
    expect(await status()).toMatchObject({ processed_to: first, waiting: 2 })
  })

  it('does not follow HEAD, which serves nothing', async () => {
    await book('R1')
    const last = lastOf(await poll())
    const asked = `property_id=con_1&updated_since=${last}`
    expect((await feed.poll('con_1', asked, 'pilot', { [NO_BODY_HEADER]: '1' })).status).toBe(200)
    expect(await status()).toMatchObject({ processed_to: EPOCH, waiting: 1 })
  })

  it('follows a request that waits when it is answered, not when it finds nothing to answer', async () => {
    await book('R1')
    const last = lastOf(await poll())
    const ask = (stamp: string, headers: Record<string, string> = {}) =>
      feed.poll('con_1', `property_id=con_1&updated_since=${stamp}`, 'pilot', headers)
    const look = { [LOOK_HEADER]: ONLY_NEWS }
    const { tag } = await ask(last, look)
    expect(await status()).toMatchObject({ processed_to: last })
    await book('R2')
    const next = lastOf(await poll())
    await ask(plus(next, 1), look)
    await ask(next, { ...look, 'if-none-match': tag.replace(/-\d+-1-0/, `-${Date.parse(next)}-1-0`) })
    expect(await status()).toMatchObject({ processed_to: last })
    const answeredAt = new Date().toISOString()
    await ask(plus(next, 1))
    const { processed_to, processed_at } = await status()
    expect(processed_to).toBe(next)
    expect(processed_at! >= answeredAt).toBe(true)
  })

  it('does not trust a checkpoint from the clock', async () => {
    await book('R1')
    await poll()
    await poll(`&updated_since=${plus(new Date().toISOString(), HOUR)}`)
    expect(await status()).toMatchObject({ processed_to: EPOCH, waiting: 1 })
  })

  it('is the same after a restart, and in another process, once it is written', async () => {
    await book('R1')
    feed.start()
    const last = lastOf(await poll())
    await poll(`&updated_since=${plus(last, 1)}`)
    await eventually(async () => {
      const { rows } = await feed.database.query('SELECT processed_to FROM feed_progress')
      expect(rows).toEqual([{ processed_to: String(Date.parse(last)) }])
    })
    await feed.stop()
    expect(await status()).toMatchObject({ processed_to: last, waiting: 0 })
    expect((await status()).processed_at).not.toBeNull()
  })

  it('counts a poll that another process answers before the page is known to it', async () => {
    const [one, other] = [1, 2].map(
      () => new PollProgress(feed.database, new ProgressStore(), silent, { PROGRESS_WRITE_SECONDS: 1 }),
    )
    const at = Date.now()
    one!.note('con_1', { from: 0, implied: 0, last: 100, at })
    other!.note('con_1', { from: 101, implied: 101, last: null, at })
    const processedTo = async () => {
      const { rows } = await feed.database.query<{ processed_to: string }>('SELECT processed_to FROM feed_progress')
      return rows.map(({ processed_to }) => processed_to)
    }
    await other!.write()
    expect(await processedTo()).toEqual(['0'])
    await one!.write()
    await other!.write()
    expect(await processedTo()).toEqual(['100'])
  })

  it('never goes back while it is being written', async () => {
    await book('R1')
    for (let version = 2; version < 40; version++) {
      const last = lastOf(await poll())
      await poll(`&updated_since=${last}`)
      const writing = feed.progress.write()
      const seen = await Promise.all([status(), status(), status()])
      expect(seen.map(({ processed_to }) => processed_to)).toEqual([last, last, last])
      await writing
      await book('R1', { version, guest_count: version })
    }
  })

  it('counts up to 10,000 waiting rows', async () => {
    await feed.database.query(
      `INSERT INTO feed_row (connection_id, reservation_id, stamp, kind, body)
       SELECT 'con_1', 'R-' || i, i, 'reservation', '{}' FROM generate_series(1, 10000) i`,
    )
    expect(await status()).toMatchObject({ waiting: 10_000, waiting_is_capped: false })
    await book('R1')
    expect(await status()).toMatchObject({ waiting: 10_000, waiting_is_capped: true })
  })
})

describe('reservations at risk', () => {
  /** A partner that has polled an empty feed once. */
  const pollOnce = () => poll()
  const atRisk = async () => (await status()).at_risk.map(({ reservation_id }) => reservation_id)

  it('wait for more than half an hour with an arrival at most two days away, or for more than a day', async () => {
    await pollOnce()
    await book('soon', { check_in: dayIn(2), check_out: dayIn(4) })
    await book('sooner', { check_in: dayIn(0), check_out: dayIn(1) })
    await book('staying', { check_in: dayIn(-3), check_out: dayIn(0) })
    await book('gone', { check_in: dayIn(-3), check_out: dayIn(-1) })
    await book('later', { check_in: dayIn(3), check_out: dayIn(4) })
    await book('forgotten', { check_in: dayIn(90), check_out: dayIn(91) })
    await book('fresh', { check_in: dayIn(1), check_out: dayIn(2) })
    for (const id of ['soon', 'sooner', 'staying', 'gone', 'later']) await age(id, HOUR / 2 + 60_000)
    await age('fresh', HOUR / 2 - 60_000)
    await age('forgotten', 24 * HOUR + 60_000)
    expect(await atRisk()).toEqual(['staying', 'sooner', 'soon', 'forgotten'])
    expect((await status()).at_risk[1]).toMatchObject({ check_in: dayIn(0), status: 'confirmed' })
  })

  it('include cancellations, and problems by the dates of their booking', async () => {
    await pollOnce()
    await book('cancelled')
    await book('cancelled', { version: 2, status: 'cancelled' })
    await book('problem', { accommodation: [bookingLine({ room_id: 'rm_nowhere' })] })
    for (const id of ['cancelled', 'problem']) await age(id, HOUR)
    const { at_risk } = await status()
    expect(at_risk).toEqual([
      expect.objectContaining({ reservation_id: 'cancelled', status: 'cancelled' }),
      expect.objectContaining({ reservation_id: 'problem', check_in: null, status: null }),
    ])
  })

  it('are found among many that have waited for longer', async () => {
    await pollOnce()
    await book('first', { check_in: dayIn(90), check_out: dayIn(91) })
    const { rows } = await feed.database.query<{ stamp: string }>('SELECT stamp FROM feed_row')
    await feed.database.query(
      `INSERT INTO feed_row (connection_id, reservation_id, stamp, kind, body)
       SELECT connection_id, 'R-' || i, $1::bigint - i, kind, body FROM feed_row, generate_series(7200001, 7230000) i`,
      [rows[0]!.stamp],
    )
    await book('soon')
    await age('soon', HOUR)
    expect(await atRisk()).toEqual(['soon'])
  })

  it('end when the partner has processed them, not when they were served', async () => {
    await pollOnce()
    await book('R1')
    await age('R1', HOUR)
    const last = lastOf(await poll())
    expect(await atRisk()).toEqual(['R1'])
    await poll(`&updated_since=${last}`)
    expect(await atRisk()).toEqual([])
  })
})

describe('facts about risks', () => {
  /** Messages that have been enqueued since the last look. */
  async function published(): Promise<{ type: string; subject: string; data: DeliveryRisk }[]> {
    const { rows } = await feed.database.query<{ value: string }>(
      `DELETE FROM outbox WHERE topic = 'connectivity.delivery-risks.v1' RETURNING value`,
    )
    return rows.map(({ value }) => JSON.parse(value) as { type: string; subject: string; data: DeliveryRisk })
  }
  const written = () =>
    eventually(async () => expect((await feed.database.query('SELECT FROM feed_progress')).rowCount).toBe(1))

  beforeEach(async () => {
    feed.start()
    await poll()
    await written()
    await book('R1')
    await book('R2', { check_in: dayIn(0) })
    for (const id of ['R1', 'R2']) await age(id, HOUR)
  })

  it('are published once when a connection becomes at risk, and once when it has recovered', async () => {
    await feed.risks.round()
    await feed.risks.round()
    const [risk, ...others] = await published()
    expect(others).toEqual([])
    expect(risk).toMatchObject({
      type: 'connectivity.delivery.at_risk',
      subject: 'prop_1',
      data: { property_id: 'prop_1', connection_id: 'con_1', waiting: 2, at_risk: 2, earliest_check_in: dayIn(0) },
    })
    expect(risk!.data.oldest_waiting_at).toBe((await status()).oldest_waiting_at)
    await feed.database.query('UPDATE feed_progress SET processed_to = (SELECT max(stamp) FROM feed_row)')
    await feed.risks.round()
    await feed.risks.round()
    expect(await published()).toMatchObject([
      {
        type: 'connectivity.delivery.recovered',
        data: { waiting: 0, at_risk: 0, oldest_waiting_at: null, earliest_check_in: null },
      },
    ])
  })

  it('are not published for one more reservation at risk', async () => {
    await feed.risks.round()
    await published()
    await book('R3')
    await age('R3', HOUR)
    await feed.risks.round()
    expect(await published()).toEqual([])
  })

  it.each(['disabled', 'closed'] as const)('show that a connection has recovered when it is %s', async (state) => {
    await feed.risks.round()
    await published()
    await feed.connect({ connection_id: 'con_1', property_id: 'prop_1', version: 2, state })
    await feed.risks.round()
    await feed.risks.round()
    expect(await published()).toMatchObject([
      { type: 'connectivity.delivery.recovered', data: { at_risk: 0, oldest_waiting_at: null } },
    ])
  })
})
