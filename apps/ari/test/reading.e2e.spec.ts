import { ari, property, useAri } from './ari-under-test.js'
import { day, ofPlan, ofRoom } from './property-under-test.js'

useAri()

const range = { date_from: day(0), date_to: day(91) }
const read = (query: Record<string, string>) => ari.read(property.connectionId, query)

describe('GET /ari', () => {
  it('is empty before the first write', async () => {
    expect((await read(range)).json).toEqual({
      schema_version: '1.0.0',
      property_id: property.connectionId,
      ...range,
      ari_revision: 0,
      rooms: [],
      rate_plans: [],
    })
  })

  it('returns the revision even if no day of the range was written', async () => {
    await property.write(ofRoom(1))
    expect(await property.state(10, 20)).toMatchObject({ ari_revision: 1, rooms: [], rate_plans: [] })
  })

  it('includes both ends, and past days', async () => {
    await property.write(ofRoom(4, { date_from: day(0), date_to: day(5) }))
    expect((await property.state(1, 3)).rooms[0]!.days.map(({ date }) => date)).toEqual([day(1), day(2), day(3)])
    await ari.sql.query(
      `UPDATE cell SET date = date - 3 FROM series WHERE cell.series_id = series.series_id AND property_id = $1`,
      [property.propertyId],
    )
    expect((await property.state(-3, 0)).rooms[0]!.days.map(({ date }) => date)).toEqual([-3, -2, -1, 0].map(day))
  })

  it("filters by the partner's ids", async () => {
    const sold = { restrictions: { stop_sell: false } }
    await property.write(
      ...['rm_1', 'rm_2', 'rm_3'].map((room_id) => ofRoom(1, { room_id })),
      ...['rm_1', 'rm_2'].flatMap((room_id) => [ofPlan({ ...sold, room_id }), ofPlan({ ...sold, room_id }, 'rp_occ')]),
    )
    const found = async (query: Record<string, string>) => {
      const { rooms, rate_plans } = (await read({ ...range, ...query })).json as never as Awaited<
        ReturnType<typeof property.state>
      >
      return [
        rooms.map(({ room_id }) => room_id).join(),
        rate_plans.map(({ rate_plan_id, room_id }) => `${rate_plan_id} ${room_id}`).join(),
      ]
    }
    const all = 'rp_flex rm_1,rp_flex rm_2,rp_occ rm_1,rp_occ rm_2'
    expect(await found({})).toEqual(['rm_1,rm_2,rm_3', all])
    expect(await found({ external_room_id: 'R2' })).toEqual(['rm_2', 'rp_flex rm_2,rp_occ rm_2'])
    expect(await found({ external_rate_plan_id: 'OCC' })).toEqual(['rm_1,rm_2,rm_3', 'rp_occ rm_1,rp_occ rm_2'])
    expect(await found({ external_room_id: 'R1', external_rate_plan_id: 'FLEX' })).toEqual(['rm_1', 'rp_flex rm_1'])
    expect(await found({ external_room_id: 'rm_1' })).toEqual(['', ''])
    expect(await found({ external_rate_plan_id: 'nope' })).toEqual(['rm_1,rm_2,rm_3', ''])
  })

  it.each<[Record<string, string>, string, string]>([
    [{ date_to: day(1) }, 'date_from', 'missing'],
    [{ date_from: day(1) }, 'date_to', 'missing'],
    [{ ...range, date_from: '' }, 'date_from', 'empty'],
    [{ ...range, date_from: '2027-02-30' }, 'date_from', 'invalid_value'],
    [{ ...range, date_to: '20270201' }, 'date_to', 'invalid_value'],
    [{ date_from: day(2), date_to: day(1) }, 'date_to', 'inverted'],
    [{ date_from: day(0), date_to: day(92) }, 'date_to', 'too_long'],
    [{ ...range, external_room_id: '' }, 'external_room_id', 'empty'],
    [{ ...range, external_rate_plan_id: 'x'.repeat(1_025) }, 'external_rate_plan_id', 'too_long'],
  ])('with %j is 400: %s %s', async (query, pointer, code) => {
    const { status, json } = await read(query)
    expect([status, json.error.code, json.error.details]).toEqual([
      400,
      'invalid_request',
      [expect.objectContaining({ pointer, code })],
    ])
  })

  it('accepts 92 days and ignores unknown parameters', async () => {
    expect((await read({ ...range, colour: 'blue' })).status).toBe(200)
  })

  it('for a connection that the gateway has not checked is 403', async () => {
    const target = `/ari?${new URLSearchParams({ property_id: property.otherConnectionId, ...range }).toString()}`
    expect(await ari.call(property.connectionId, 'GET', target, {})).toMatchObject({
      status: 403,
      json: { error: { code: 'property_forbidden' } },
    })
  })
})
