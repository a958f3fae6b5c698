import type { AriState } from '@connectivity/contracts/ari'
import { eventually } from '@connectivity/testing/eventually'
import { type AriProcess, ariProcess } from './ari-process.js'
import { catalogRatePlan, catalogRoom, connectionCatalog } from './catalog.js'
import { day, ofPlan, ofRoom } from './property-under-test.js'

/** Makes ten times as many days as are held in memory, and 40 MB: more than the buffers of a connection grow to. */
const ROOMS = 620
const PLANS = 3
const DAYS = 92
const CONNECTION = 'con_large'
const PROPERTY = 'prop_large'
const range = { date_from: day(0), date_to: day(DAYS - 1) }

let ari: AriProcess
beforeAll(async () => {
  ari = await ariProcess()
  const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}_${index + 1}`)
  const rooms = names(ROOMS, 'rm')
  await ari.catalogsArrive([
    connectionCatalog({
      connection_id: CONNECTION,
      property_id: PROPERTY,
      rooms: rooms.map((id) => catalogRoom(id, { external_id: `X-${id}` })),
      rate_plans: names(PLANS, 'rp').map((id) => catalogRatePlan(id, { room_service_ids: rooms })),
    }),
  ])
  await ari.sql.query(
    `WITH property AS (INSERT INTO property (property_id, revision, timezone) VALUES ($1, 1, 'Europe/Berlin')),
     known AS (INSERT INTO series (property_id, room_id, rate_plan_id, occupancy)
       SELECT $1, 'rm_' || room, CASE plan WHEN 0 THEN '' ELSE 'rp_' || plan END, 0
         FROM generate_series(1, $2::integer) room, generate_series(0, $3::integer) plan RETURNING series_id, rate_plan_id)
     INSERT INTO cell (series_id, date, availability, amount, currency, connection_id, revision)
     SELECT series_id, $4::date + n, CASE rate_plan_id WHEN '' THEN 1 END, CASE rate_plan_id WHEN '' THEN NULL ELSE 110.00 END,
            CASE rate_plan_id WHEN '' THEN NULL ELSE 'EUR' END, $5, 1
       FROM known, generate_series(0, $6::integer - 1) n`,
    [PROPERTY, ROOMS, PLANS, day(0), CONNECTION, DAYS],
  )
})
afterAll(() => ari.end())

/** Counts answers being read from the database: no other transaction takes so long. */
const inFlight = async () =>
  (
    await ari.sql.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'ari-%' AND xact_start < clock_timestamp() - interval '100 ms'`,
    )
  ).rowCount

describe('GET /ari of a property too large for memory', () => {
  it('returns everything, in the order and form of any other answer', async () => {
    const state = await ari.state(CONNECTION, range.date_from, range.date_to)
    expect([state.rooms.length, state.rate_plans.length]).toEqual([ROOMS, ROOMS * PLANS])
    expect(
      state.rate_plans.map(({ rate_plan_id, room_id }) => `${rate_plan_id} ${room_id}`).slice(ROOMS - 1, ROOMS + 1),
    ).toEqual([`rp_1 rm_${ROOMS}`, 'rp_2 rm_1'])
    expect(new Set([...state.rooms, ...state.rate_plans].map(({ days }) => days.length))).toEqual(new Set([DAYS]))
    const one = (await ari.read(CONNECTION, { ...range, external_room_id: 'X-rm_150' })).json as unknown as AriState
    const { rooms, rate_plans, ...head } = one
    expect(state).toMatchObject(head)
    expect(state.rooms.filter(({ room_id }) => room_id === 'rm_150')).toEqual(rooms)
    expect(state.rate_plans.filter(({ room_id }) => room_id === 'rm_150')).toEqual(rate_plans)
  })

  it('returns one snapshot and waits for its reader, however much is left', async () => {
    const response = await ari.open(CONNECTION, range)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    await eventually(async () => expect(await inFlight()).toBe(1))
    const last = { room_id: `rm_${ROOMS}`, date_from: day(1), date_to: day(1) }
    // The last plan is read when the reader goes on.
    const updates = [ofRoom(9, last), ofPlan({ ...last, rates: [{ amount: '999.00' }] }, `rp_${PLANS}`)]
    expect((await ari.write({ property_id: CONNECTION, currency: 'EUR', updates })).status).toBe(200)
    expect(await inFlight()).toBe(1)
    const state = (await response.json()) as AriState
    expect(state.ari_revision).toBe(1)
    expect(state.rooms.at(-1)!.days[1]!.availability).toBe(1)
    expect(state.rate_plans.at(-1)!.days[1]!.rates).toMatchObject([{ amount: '110.00' }])
    await eventually(async () => expect(await inFlight()).toBe(0))
  })

  it('waits three seconds for another of its application, then is refused with Retry-After', async () => {
    const abort = new AbortController()
    await ari.open(CONNECTION, range, { signal: abort.signal })
    const [second, ofOther] = await Promise.all([
      ari.read(CONNECTION, range),
      ari.open(CONNECTION, range, { application: 'app_2' }),
    ])
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '2'])
    expect([ofOther.status, ((await ofOther.json()) as AriState).rooms.length]).toEqual([200, ROOMS])
    expect((await ari.read(CONNECTION, { date_from: day(0), date_to: day(0) })).status).toBe(200)
    abort.abort()
    expect((await ari.read(CONNECTION, range)).status).toBe(200)
  })

  it('waits for its turn while two other applications read', async () => {
    const abort = new AbortController()
    const open = (application: string) => ari.open(CONNECTION, range, { application, signal: abort.signal })
    await Promise.all(['app_1', 'app_2'].map(open))
    const third = ari.open(CONNECTION, range, { application: 'app_3' })
    await eventually(async () => expect(await inFlight()).toBe(2))
    abort.abort()
    const { status, body } = await third
    await body!.cancel()
    expect(status).toBe(200)
  })
})
