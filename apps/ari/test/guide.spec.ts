import { readFileSync } from 'node:fs'
import { AriWrite } from '@connectivity/contracts/ari'
import { readBody } from '@connectivity/service-kit/http'
import { propertyCatalog } from '../src/catalogs/property-catalog.js'
import { dayOf } from '../src/calendar/calendar.js'
import { faultCodes } from '../src/judgement/fault.js'
import { judge } from '../src/judgement/judgement.js'
import { catalogRatePlan, catalogRoom, connectionCatalog } from './catalog.js'

const guide = readFileSync(new URL('../../../docs/guides/ari.md', import.meta.url), 'utf8')
const today = dayOf(/is taken to be (\d{4}-\d\d-\d\d)/.exec(guide)![1]!)

/** The rooms and rate plans in the guide. */
const rooms = ['rm_aurora_double', 'rm_aurora_family'].map((id) => catalogRoom(id))
const room_service_ids = rooms.map(({ service_id }) => service_id)
const catalog = propertyCatalog(
  connectionCatalog({
    rooms,
    rate_plans: [
      catalogRatePlan('rp_aurora_flex', { room_service_ids }),
      catalogRatePlan('rp_aurora_saver', {
        room_service_ids,
        derived_from: { service_id: 'rp_aurora_flex', type: 'percent', value: '-10' },
      }),
      catalogRatePlan('rp_aurora_breakfast', {
        room_service_ids,
        pricing_model: 'per_occupancy',
        occupancies: [1, 2, 3],
      }),
    ],
  }),
)

interface Example {
  refused: string | undefined
  body: Record<string, unknown>
}

const examples = [...guide.matchAll(/^```json(?: refused=(\w+))?\n(.*?)^```$/gms)].map(
  ([, refused, text]): Example => ({ refused, body: JSON.parse(text!) as Record<string, unknown> }),
)
const calls = examples.filter(({ body }) => Array.isArray(body.updates))

describe('the guide to ARI', () => {
  it('has its examples', () => expect(calls.length).toBeGreaterThan(10))

  it.each(calls)('$refused: $body', ({ refused, body }) => {
    const { faults } = judge(readBody(AriWrite, structuredClone(body)), catalog, today)
    expect(faults.map(({ code }) => code)).toEqual(refused === undefined ? [] : [refused])
  })

  it("answers the first call's updates", () => {
    const [call] = calls
    const answer = examples.find(({ body }) => body.cells_written !== undefined)!.body
    const { cells } = judge(readBody(AriWrite, structuredClone(call!.body)), catalog, today)
    expect(answer).toMatchObject({ updates: (call!.body.updates as unknown[]).length, cells_written: cells })
  })

  it('names every fault', () => {
    for (const code of faultCodes) expect(guide).toContain(`\`${code}\``)
  })
})
