import { AriWrite } from '@connectivity/contracts/ari'
import { MappingsWrite } from '@connectivity/contracts/mappings'
import { ChangeLimits, OperatorMappings } from '@connectivity/contracts/operators-api'
import { nestedShapeOf } from '@connectivity/contracts/validation'
import { ValidateNested, validateSync } from 'class-validator'
import fc from 'fast-check'
import { faultsOf } from './body-faults.js'

type Shape = new () => object

/** Gives the object and all objects in it their classes, for class-validator; null for values it wrongly lets pass. */
function instance(shape: Shape, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]) => [name, nested(nestedShapeOf(shape, name), field)])
  return Object.assign(new shape(), Object.fromEntries(fields))
}

function nested(shape: Shape | undefined, value: unknown): unknown {
  if (!shape) return value
  // class-validator looks into a list in a list; JSON has no undefined.
  return Array.isArray(value)
    ? value.map((one) => (Array.isArray(one) || one === undefined ? null : instance(shape, one)))
    : instance(shape, value)
}

const byClassValidator = (shape: Shape, body: object): boolean =>
  validateSync(instance(shape, body) as object, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
  }).length === 0

const accepts = (shape: Shape, body: object): boolean => faultsOf(shape, body).length === 0

/** Mostly a good value, else any value. */
const mostly = (good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { arbitrary: good, weight: 12 },
    {
      arbitrary: fc.constantFrom<unknown>(null, undefined, '', 'x', 0, -1, 1.5, true, [], {}, [[]], [null]),
      weight: 1,
    },
  )
const field = (good: fc.Arbitrary<unknown>) => fc.option(mostly(good), { nil: undefined, freq: 3 })
const rarely = (value: unknown) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 20 }, { arbitrary: fc.constant(value), weight: 1 })
const object = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .record({ ...fields, unknown: rarely(1) })
    .map((value) => Object.fromEntries(Object.entries(value).filter(([, given]) => given !== undefined)))

const rate = object({ occupancy: field(fc.constant(2)), amount: mostly(fc.constantFrom('1', '1.50', '1e3', '-2')) })
const update = object({
  room_id: mostly(fc.constant('rm')),
  external_room_id: rarely('R'),
  rate_plan_id: mostly(fc.constant('rp')),
  date_from: mostly(fc.constantFrom('2027-01-01', '2027-02-30')),
  date_to: mostly(fc.constant('2027-01-02')),
  days_of_week: field(fc.subarray(['mon', 'tue', 'sun'])),
  availability: rarely(3),
  rates: field(fc.array(mostly(rate), { maxLength: 2 })),
  restrictions: field(object({ max_stay: field(fc.constant(3)), stop_sell: field(fc.constant(true)) })),
})
const body = object({
  property_id: mostly(fc.constant('con_1')),
  currency: field(fc.constantFrom('EUR', null)),
  updates: mostly(fc.array(mostly(update), { maxLength: 3 })),
})

describe('the check of a body', () => {
  it('accepts exactly what class-validator accepts', () => {
    let accepted = 0
    fc.assert(
      fc.property(body, (given) => {
        const expected = byClassValidator(AriWrite, given)
        accepted += Number(expected)
        expect(accepts(AriWrite, given)).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
    expect(accepted).toBeGreaterThan(50)
  })

  it('descends into nested objects that are not lists', () => {
    const limits = (feed: unknown) => ({ reason: 'r', limits: { feed } })
    expect(accepts(ChangeLimits, limits({ per_minute: 1, burst: 1 }))).toBe(true)
    expect(accepts(ChangeLimits, limits({ per_minute: 0, burst: 1 }))).toBe(false)
    expect(accepts(ChangeLimits, limits([{ per_minute: 1, burst: 1 }]))).toBe(false)
  })

  it('trims a text declared as trimmed before it judges it, and keeps it trimmed', () => {
    const body = (external_id: unknown) => ({ mappings: [{ entity_type: 'room', service_id: 'r1', external_id }] })
    const good = body(` ${'a'.repeat(128)}\n`)
    expect(faultsOf(MappingsWrite, good)).toEqual([])
    expect(good).toEqual(body('a'.repeat(128)))
    expect(faultsOf(OperatorMappings, { reason: 'r', ...body(' A ') })).toEqual([])
    expect(accepts(MappingsWrite, body('  '))).toBe(false)
  })

  it('refuses to judge a class that declares an object without its shape', () => {
    class Body {
      @ValidateNested()
      inner: object
    }
    expect(() => faultsOf(Body, {})).toThrow('declare Body.inner with Nested or NestedList')
  })
})
