import { eventually } from '@connectivity/testing/eventually'
import { ari, property, useAri } from './ari-under-test.js'
import { day, ofPlan, ofRoom } from './property-under-test.js'

useAri()

describe('a dry run', () => {
  it('gives the answer of a write, with the current revision, and changes nothing', async () => {
    await property.write(ofRoom(7))
    const plan = ofPlan({ rates: [{ amount: '1' }], restrictions: { stop_sell: null } })
    const call = property.body(ofRoom(7, { date_to: day(2) }), ofRoom(8, { date_from: day(3), date_to: day(5) }), plan)
    const before = await property.state()
    const dry = await ari.write(call, { query: '?dry_run=true', key: property.propertyId })
    expect(dry.json).toMatchObject({ ari_revision: 1, updates: 3, cells_written: 6, cells_unchanged: 2 })
    expect(await property.state()).toEqual(before)
    const wet = await ari.write(call, { key: property.propertyId })
    expect(wet.json).toMatchObject({ ari_revision: 2, cells_written: 6, cells_unchanged: 2 })
    expect(wet.headers.get('idempotent-replayed')).toBeNull()
    expect((await ari.write(call, { query: '?dry_run=true' })).json).toMatchObject({
      ari_revision: 2,
      cells_written: 0,
      cells_unchanged: 8,
    })
    await eventually(() => expect(property.published().map((m) => m.ari_revision)).toEqual([1, 2]))
  })

  it('returns every fault and stores nothing for its key, but requires one', async () => {
    await property.write(ofPlan({ restrictions: { max_stay: 2 } }))
    const call = property.body(ofRoom(-1), ofPlan({ restrictions: { min_stay_arrival: 3 } }))
    const dry = await ari.write(call, { query: '?dry_run=true', key: property.propertyId })
    expect([dry.status, dry.json.error.details!.map(({ code }) => code)]).toEqual([
      422,
      ['availability_range', 'min_gt_max'],
    ])
    const mended = await property.writeWith({ key: property.propertyId }, ofRoom(1))
    expect([mended.status, mended.headers.get('idempotent-replayed')]).toEqual([200, null])
    expect((await ari.write(call, { query: '?dry_run=true', key: null })).json.error.code).toBe(
      'idempotency_key_required',
    )
  })

  it.each([
    '?dry_run=yes',
    '?dry_run=',
    '?dry_run=TRUE',
    '?dry_run=1',
    '?dry_run=true&dry_run=true',
    '?dry_run[]=true',
  ])('is not requested by %s, which is 400', async (query) => {
    const { status, json } = await property.writeWith({ query }, ofRoom(1))
    expect([status, json.error.code, json.error.details![0]!.pointer]).toEqual([400, 'invalid_request', 'dry_run'])
  })

  it('is not requested by dry_run=false', async () => {
    expect((await property.writeWith({ query: '?dry_run=false' }, ofRoom(1))).json).toMatchObject({ ari_revision: 1 })
  })
})
