import { setTimeout as delay } from 'node:timers/promises'
import { CATALOG_VERSION_HEADER } from '@connectivity/contracts/applied-catalog'
import { eventually } from '@connectivity/testing/eventually'
import type { AriUpdateWrite } from '@connectivity/contracts/ari'
import { ari, property, useAri } from './ari-under-test.js'
import { day, ofPlan, ofRoom, unrestricted } from './property-under-test.js'

useAri()

describe('POST /ari', () => {
  it('is applied, counted, readable and published', async () => {
    const updates = [
      ofRoom(7, { room_id: undefined, external_room_id: 'R1' }),
      ofPlan({ rates: [{ amount: '110.5' }], restrictions: { min_stay_arrival: 2, stop_sell: false } }),
      ofPlan(
        {
          rates: [
            { occupancy: 2, amount: '90' },
            { occupancy: 1, amount: '70.00' },
          ],
          date_to: day(1),
        },
        'rp_occ',
      ),
    ]
    const { status, json, headers } = await property.write(...updates)
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    expect(json).toEqual({
      schema_version: '1.0.0',
      property_id: property.connectionId,
      ari_revision: 1,
      applied_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updates: 3,
      cells_written: 7,
      cells_unchanged: 0,
      warnings: [],
    })
    expect(await property.state(0, 1)).toEqual({
      schema_version: '1.0.0',
      property_id: property.connectionId,
      date_from: day(0),
      date_to: day(1),
      ari_revision: 1,
      rooms: [{ room_id: 'rm_1', external_room_id: 'R1', days: [{ date: day(1), availability: 7 }] }],
      rate_plans: [
        {
          rate_plan_id: 'rp_flex',
          external_rate_plan_id: 'FLEX',
          room_id: 'rm_1',
          external_room_id: 'R1',
          currency: 'EUR',
          days: [
            {
              date: day(1),
              rates: [{ occupancy: null, amount: '110.50' }],
              restrictions: { ...unrestricted, min_stay_arrival: 2, stop_sell: false },
            },
          ],
        },
        {
          rate_plan_id: 'rp_occ',
          external_rate_plan_id: 'OCC',
          room_id: 'rm_1',
          external_room_id: 'R1',
          currency: 'EUR',
          days: [
            {
              date: day(1),
              rates: [
                { occupancy: 1, amount: '70.00' },
                { occupancy: 2, amount: '90.00' },
              ],
              restrictions: unrestricted,
            },
          ],
        },
      ],
    })
    await eventually(() => expect(property.published()).toHaveLength(1))
    const message = ari.published.find(({ key }) => key === property.propertyId)!
    expect(message.event).toMatchObject({
      type: 'connectivity.ari.updated',
      subject: property.propertyId,
      source: '/ari',
    })
    expect(message.event.data).toEqual({
      property_id: property.propertyId,
      connection_id: property.connectionId,
      ari_revision: 1,
      applied_at: json.applied_at,
      part: 1,
      parts: 1,
      currency: 'EUR',
      updates: [
        { room_id: 'rm_1', date_from: day(1), date_to: day(3), availability: 7 },
        {
          room_id: 'rm_1',
          rate_plan_id: 'rp_flex',
          date_from: day(1),
          date_to: day(3),
          rates: [{ amount: '110.50' }],
          restrictions: { min_stay_arrival: 2, stop_sell: false },
        },
        {
          room_id: 'rm_1',
          rate_plan_id: 'rp_occ',
          date_from: day(1),
          date_to: day(1),
          rates: [
            { occupancy: 2, amount: '90.00' },
            { occupancy: 1, amount: '70.00' },
          ],
        },
      ],
    })
  })

  it('names the currency of the call to the booking engine, with or without amounts', async () => {
    await property.write(ofRoom(7))
    await ari.write({ ...property.body(ofRoom(8)), currency: null })
    await ari.write({ ...property.body(ofRoom(9)), currency: 'no currency' })
    await eventually(() => expect(property.published().map(({ currency }) => currency)).toEqual(['EUR', null, null]))
  })

  it('keeps the revision and publishes nothing if no cell changes', async () => {
    await property.write(ofRoom(7))
    expect((await property.write(ofRoom(7))).json).toMatchObject({
      ari_revision: 1,
      cells_written: 0,
      cells_unchanged: 3,
    })
    expect((await property.write(ofRoom(7), ofRoom(8, { date_from: day(4), date_to: day(4) }))).json).toMatchObject({
      ari_revision: 2,
      cells_written: 1,
      cells_unchanged: 3,
    })
    await eventually(() => expect(property.published().map((m) => m.ari_revision)).toEqual([1, 2]))
    expect(await property.writers()).toEqual([1, 1, 1, 2].map((revision) => [revision, property.connectionId]))
  })

  it("writes cells shared by a property's connections: the last commit wins, each cell has its writer", async () => {
    await property.write(ofRoom(7), ofPlan({ rates: [{ amount: '100' }] }))
    const other = { ...property.body(ofRoom(9, { date_to: day(1) })), property_id: property.otherConnectionId }
    expect((await ari.write(other)).json).toMatchObject({ property_id: property.otherConnectionId, ari_revision: 2 })
    expect((await property.state()).rooms[0]!.days.map(({ availability }) => availability)).toEqual([9, 7, 7])
    const seen = await property.state(0, 91, property.otherConnectionId)
    expect(seen).toMatchObject({
      property_id: property.otherConnectionId,
      ari_revision: 2,
      rooms: [{ room_id: 'rm_1', external_room_id: null, days: [{ availability: 9 }, {}, {}] }],
    })
    expect((await property.writers()).slice(0, 3)).toEqual([
      [2, property.otherConnectionId],
      [1, property.connectionId],
      [1, property.connectionId],
    ])
    expect(
      (await ari.write({ ...other, updates: [ofRoom(1, { room_id: undefined, external_room_id: 'R1' })] })).status,
    ).toBe(422)
  })

  it('keeps absent fields and clears those that are null', async () => {
    await property.write(ofPlan({ rates: [{ amount: '100' }], restrictions: { max_stay: 5, closed_to_arrival: true } }))
    await property.write(ofPlan({ restrictions: { max_stay: null, stop_sell: true }, date_to: day(1) }))
    const [first, second] = (await property.state()).rate_plans[0]!.days
    expect(first).toEqual({
      date: day(1),
      rates: [{ occupancy: null, amount: '100.00' }],
      restrictions: { ...unrestricted, closed_to_arrival: true, stop_sell: true },
    })
    expect(second!.restrictions).toEqual({ ...unrestricted, max_stay: 5, closed_to_arrival: true })
  })

  it('that clears fields never set creates no cell', async () => {
    const cleared = ofPlan({ restrictions: { max_stay: null, stop_sell: null } })
    expect((await property.write(cleared)).json).toMatchObject({
      ari_revision: 0,
      cells_written: 0,
      cells_unchanged: 3,
    })
    expect((await property.state()).rate_plans).toEqual([])
  })

  it('judges stays on the merged cell', async () => {
    const write = (restrictions: AriUpdateWrite['restrictions']) => property.write(ofPlan({ restrictions }))
    await write({ min_stay_arrival: 3, max_stay: 10 })
    expect((await write({ max_stay: 2 })).json.error.details).toEqual([
      expect.objectContaining({ pointer: '/updates/0/restrictions/max_stay', code: 'min_gt_max' }),
    ])
    const raised = await write({ min_stay_arrival: 10, min_stay_through: 11, closed_to_arrival: true })
    expect(raised.json.error.details).toEqual([
      expect.objectContaining({ pointer: '/updates/0/restrictions/min_stay_through', code: 'min_gt_max' }),
    ])
    expect((await write({ min_stay_through: 11, max_stay: 11 })).status).toBe(200)
    expect((await write({ min_stay_arrival: null, min_stay_through: null, max_stay: 1 })).status).toBe(200)
    const apart = await property.write(
      ofPlan({ restrictions: { min_stay_arrival: 5 } }, 'rp_occ'),
      ofPlan({ restrictions: { max_stay: 4 }, date_from: day(3), date_to: day(3) }, 'rp_occ'),
      ofRoom(-1),
    )
    expect(apart.json.error.details!.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/updates/0/restrictions/min_stay_arrival min_gt_max',
      '/updates/2/availability availability_range',
    ])
  })

  it('with one faulty update among 1,000 changes nothing', async () => {
    const updates = Array.from({ length: 1_000 }, (_, index) =>
      ofRoom(5, { date_from: day(index % 700), date_to: day(index % 700) }),
    )
    updates[777] = ofRoom(-1, { room_id: 'rm_2' })
    const refused = await property.write(...updates)
    expect(refused).toMatchObject({
      status: 422,
      json: { error: { code: 'ari_rejected', details: [{ pointer: '/updates/777/availability' }] } },
    })
    expect(await property.state()).toMatchObject({ ari_revision: 0, rooms: [], rate_plans: [] })
    updates[777] = ofRoom(1, { room_id: 'rm_2' })
    expect((await property.write(...updates)).json).toMatchObject({ updates: 1_000, cells_written: 703 })
  })

  it('waits for the catalog: 503 until it has arrived', async () => {
    const late = `${property.connectionId}_late`
    const write = () => ari.write({ ...property.body(ofRoom(1)), property_id: late }, { key: property.propertyId })
    const early = await write()
    expect([early.status, early.json.error.code]).toEqual([503, 'service_unavailable'])
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ari.read(late, { date_from: day(0), date_to: day(0) })).status).toBe(503)
    await ari.catalogsArrive([{ ...property.catalog, connection_id: late }])
    expect((await write()).status).toBe(200)
  })

  it('waits six seconds for the catalog that its caller has seen, then is answered 503', async () => {
    const seen = property.catalog.catalog_version + 1
    const write = (version: number) =>
      ari.write(property.body(ofRoom(1)), { headers: { [CATALOG_VERSION_HEADER]: `${version}` } })
    const [arriving, missing] = [write(seen), write(seen + 1)]
    await delay(200)
    expect((await property.state()).ari_revision).toBe(0)
    await property.changeCatalog({})
    expect((await arriving).status).toBe(200)
    expect(await missing).toMatchObject({ status: 503, json: { error: { code: 'service_unavailable' } } })
  })

  it('uses the newest catalog', async () => {
    await property.write(ofRoom(1))
    const rooms = property.catalog.rooms.map((room) => ({ ...room, status: 'archived' as const }))
    await property.changeCatalog({ rooms })
    expect((await property.write(ofRoom(2))).json.error.details).toMatchObject([{ code: 'unknown_room' }])
    expect((await property.state()).rooms[0]!.days[0]).toEqual({ date: day(1), availability: 1 })
  })

  it('does not show prices in a currency that the rate plan no longer has', async () => {
    await property.write(ofPlan({ rates: [{ amount: '110' }] }))
    const rate_plans = property.catalog.rate_plans.map((plan) => ({ ...plan, currency: 'JPY' }))
    await property.changeCatalog({ rate_plans })
    expect((await property.state()).rate_plans).toMatchObject([{ currency: 'JPY', days: [{ rates: [] }, {}, {}] }])
    const yen = { ...property.body(ofPlan({ rates: [{ amount: '110' }], date_to: day(1) })), currency: 'JPY' }
    expect((await ari.write(yen)).json).toMatchObject({ cells_written: 1 })
    expect((await property.state()).rate_plans[0]!.days[0]!.rates).toEqual([{ occupancy: null, amount: '110' }])
  })

  it('publishes updates too large for one message in parts of the same revision', async () => {
    const long = (letter: string) => letter.repeat(3) + '漢'.repeat(125)
    const rooms = [{ ...property.catalog.rooms[0]!, service_id: long('r'), external_id: 'A' }]
    const plan = {
      ...property.catalog.rate_plans[0]!,
      service_id: long('p'),
      external_id: 'B',
      room_service_ids: [long('r')],
    }
    await property.changeCatalog({ rooms, rate_plans: [plan] })
    const updates = Array.from({ length: 1_000 }, (_, index) => ({
      external_room_id: 'A',
      external_rate_plan_id: 'B',
      date_from: day(index % 700),
      date_to: day(index % 700),
      rates: [{ amount: '110' }],
      restrictions: { min_stay_arrival: 1, min_stay_through: 2, max_stay: 3, closed_to_arrival: true },
    }))
    expect((await property.write(...updates)).json).toMatchObject({ ari_revision: 1, cells_written: 700 })
    await property.write({ external_room_id: 'A', date_from: day(1), date_to: day(1), availability: 1 })
    await eventually(() => expect(property.published().at(-1)).toMatchObject({ ari_revision: 2 }))
    const messages = property.published()
    expect(messages.map(({ ari_revision, part, parts }) => [ari_revision, part, parts])).toEqual([
      [1, 1, 2],
      [1, 2, 2],
      [2, 1, 1],
    ])
    expect(messages.slice(0, 2).flatMap((message) => message.updates)).toHaveLength(1_000)
    for (const { key, bytes } of ari.published) if (key === property.propertyId) expect(bytes).toBeLessThan(900_000)
  })
})
