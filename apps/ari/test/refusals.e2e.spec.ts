import { ari, property, useAri } from './ari-under-test.js'
import { day, ofPlan, ofRoom } from './property-under-test.js'

useAri()

describe('the body of POST /ari', () => {
  const update = { room_id: 'rm_1', date_from: day(1), date_to: day(1), availability: 1 }
  const rated = (rates: unknown) => ({ ...update, availability: undefined, rate_plan_id: 'rp_flex', rates })

  it.each<[string, object, string[]]>([
    ['no updates', { updates: [] }, ['/updates']],
    ['1,001 updates', { updates: Array(1_001).fill(update) }, ['/updates']],
    ['updates that are not a list', { updates: {} }, ['/updates']],
    ['lists in the list', { updates: [[update]] }, ['/updates/0']],
    ['a currency that is not text', { currency: 978, updates: [update] }, ['/currency']],
    [
      'more rates than a rate plan can have',
      { currency: 'EUR', updates: [rated(Array(51).fill({ amount: '1' }))] },
      ['/updates/0/rates'],
    ],
    ['an unknown field', { updates: [{ ...update, price: 1 }], source: 'x' }, ['/source', '/updates/0/price']],
    ['no room', { updates: [{ ...update, room_id: undefined }] }, ['/updates/0/room_id']],
    ['both ids of a room', { updates: [{ ...update, external_room_id: 'R1' }] }, ['/updates/0/external_room_id']],
    [
      'both ids of a rate plan',
      { updates: [{ ...rated([]), external_rate_plan_id: 'FLEX' }] },
      ['/updates/0/external_rate_plan_id'],
    ],
    ['null for a room', { updates: [{ ...update, room_id: null }] }, ['/updates/0/room_id']],
    ['null for a rate plan', { updates: [{ ...rated([]), rate_plan_id: null }] }, ['/updates/0/rate_plan_id']],
    ['availability of a rate plan', { updates: [{ ...update, rate_plan_id: 'rp_flex' }] }, ['/updates/0/availability']],
    ['rates of a room', { updates: [{ ...update, rates: [] }] }, ['/updates/0/rates']],
    ['restrictions of a room', { updates: [{ ...update, restrictions: {} }] }, ['/updates/0/restrictions']],
    ['half a unit', { updates: [{ ...update, availability: 1.5 }] }, ['/updates/0/availability']],
    ['availability as text', { updates: [{ ...update, availability: '1' }] }, ['/updates/0/availability']],
    ['null availability', { updates: [{ ...update, availability: null }] }, ['/updates/0/availability']],
    ['a date that does not exist', { updates: [{ ...update, date_from: '2027-02-29' }] }, ['/updates/0/date_from']],
    ['a date with time', { updates: [{ ...update, date_to: '2027-02-28T00:00:00Z' }] }, ['/updates/0/date_to']],
    ['an unknown weekday', { updates: [{ ...update, days_of_week: ['Mon'] }] }, ['/updates/0/days_of_week/0']],
    ['eight weekdays', { updates: [{ ...update, days_of_week: Array(8).fill('mon') }] }, ['/updates/0/days_of_week']],
    ['null weekdays', { updates: [{ ...update, days_of_week: null }] }, ['/updates/0/days_of_week']],
    ['an amount as number', { updates: [rated([{ amount: 110 }])] }, ['/updates/0/rates/0/amount']],
    [
      'amounts that cannot be read',
      { updates: [rated(['1e2', '1,50', '', '+1', '01', '.5', '1.'].map((amount) => ({ amount })))] },
      [0, 1, 2, 3, 4, 5, 6].map((index) => `/updates/0/rates/${index}/amount`),
    ],
    ['no amount', { updates: [rated([{}])] }, ['/updates/0/rates/0/amount']],
    ['occupancy as text', { updates: [rated([{ amount: '1', occupancy: '2' }])] }, ['/updates/0/rates/0/occupancy']],
    ['null occupancy', { updates: [rated([{ amount: '1', occupancy: null }])] }, ['/updates/0/rates/0/occupancy']],
    [
      'restrictions of other types',
      { updates: [{ ...rated([]), restrictions: { max_stay: '3', stop_sell: 1, min_stay_arrival: 1.5 } }] },
      ['max_stay', 'stop_sell', 'min_stay_arrival'].map((name) => `/updates/0/restrictions/${name}`),
    ],
    ['null restrictions', { updates: [{ ...rated([]), restrictions: null }] }, ['/updates/0/restrictions']],
  ])('with %s is 400 and points at it', async (_what, given, pointers) => {
    const target = { property_id: property.connectionId, ...given }
    const { status, json } = await ari.call(property.connectionId, 'POST', '/ari', { body: target })
    expect([status, json.error.code]).toEqual([400, 'invalid_request'])
    expect(new Set(json.error.details!.map(({ pointer }) => pointer))).toEqual(new Set(pointers))
  })

  it('must name the connection that the gateway has checked, else 403', async () => {
    const body = { property_id: property.otherConnectionId, updates: [update] }
    expect((await ari.call(property.connectionId, 'POST', '/ari', { body })).status).toBe(403)
  })
})

describe('a repeated call', () => {
  it('gets the first answer byte for byte, even after later changes', async () => {
    const key = property.propertyId
    const first = await property.writeWith({ key }, ofRoom(1))
    await property.write(ofRoom(2))
    const again = await property.writeWith({ key: `"${key}"` }, ofRoom(1))
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
    expect((await property.state()).rooms[0]!.days[0]!.availability).toBe(2)
  })

  it('gets a refusal again, although it would pass now', async () => {
    const key = property.propertyId
    const write = () => property.writeWith({ key }, ofPlan({ restrictions: { min_stay_arrival: 9 } }))
    await property.write(ofPlan({ restrictions: { max_stay: 3 } }))
    const refused = await write()
    await property.write(ofPlan({ restrictions: { max_stay: null } }))
    const again = await write()
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([422, refused.text, 'true'])
  })

  it('with a different body is refused, as is one without a key', async () => {
    const key = property.propertyId
    await property.writeWith({ key }, ofRoom(1))
    expect((await property.writeWith({ key }, ofRoom(2))).json.error.code).toBe('idempotency_key_reused')
    expect((await property.writeWith({ key: null }, ofRoom(2))).json.error.code).toBe('idempotency_key_required')
  })

  it('sent 30 times at once takes effect once', async () => {
    const key = property.propertyId
    const answers = await Promise.all(Array.from({ length: 30 }, () => property.writeWith({ key }, ofRoom(1))))
    const bodies = answers.filter(({ status }) => status === 200).map(({ text }) => text)
    expect(new Set(bodies).size).toBe(1)
    for (const { status } of answers) expect([200, 409]).toContain(status)
    expect((await property.state()).ari_revision).toBe(1)
  })
})
