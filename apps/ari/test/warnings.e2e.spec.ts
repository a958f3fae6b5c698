import { eventually } from '@connectivity/testing/eventually'
import { ari, property, useAri } from './ari-under-test.js'
import { day, ofPlan, ofRoom } from './property-under-test.js'

useAri()

const warning = (index: number) => ({
  code: 'above_total_units',
  pointer: `/updates/${index}/availability`,
  message: expect.stringContaining('10 units'),
})

describe('availability above the units of a room', () => {
  it('is applied and answered with a warning for each update, by a dry run and a replay too', async () => {
    const plan = ofPlan({ restrictions: { stop_sell: true } })
    const call = property.body(ofRoom(11), plan, ofRoom(10, { room_id: 'rm_2' }), ofRoom(12, { room_id: 'rm_3' }))
    const key = property.propertyId
    const dry = await ari.write(call, { query: '?dry_run=true', key })
    const first = await ari.write(call, { key })
    expect([dry.json.warnings, first.json.warnings]).toEqual([
      [warning(0), warning(3)],
      [warning(0), warning(3)],
    ])
    expect((await property.state(1, 1)).rooms.map(({ days }) => days[0]!.availability)).toEqual([11, 10, 12])
    const replay = await ari.write(call, { key })
    expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    const again = await ari.write(call)
    expect(again.json).toMatchObject({ cells_written: 0, warnings: [warning(0), warning(3)] })
  })

  it('is not in the message to the booking engine, whose currency is null if the call has none', async () => {
    await property.write(ofRoom(11))
    await property.write(ofPlan({ date_to: day(1), rates: [{ amount: '110' }] }))
    await ari.write({ property_id: property.connectionId, updates: [ofRoom(9)] })
    await eventually(() => expect(property.published()).toHaveLength(3))
    const [oversold, priced, unnamed] = property.published()
    expect([oversold!.currency, priced!.currency, unnamed!.currency]).toEqual(['EUR', 'EUR', null])
    expect(oversold).not.toHaveProperty('warnings')
  })
})
