import fc from 'fast-check'
import { Schemas } from '@connectivity/testing/schemas'
import { resolved, targetsOf } from '../model/description.ts'
import type { Lane } from '../stack/lane.ts'
import { description, facts, known } from '../test/description.ts'
import { SchemaValues } from '../values/schema-values.ts'
import { inputsOf } from './distortions.ts'
import { GoodRequests } from './draft.ts'
import { hugeInputs, repetitiveInputs } from './huge.ts'
import { FRESH_KEY, sizeOf } from '../model/request.ts'
import { InputSource } from './source.ts'

const RUNS = { numRuns: 60, seed: 1 }
const MOST_BYTES = 1_048_576
const values = new SchemaValues(description, known)
const good = new GoodRequests(values, facts)
const targets = targetsOf(description)
const named = targets.map((target) => [target.name, target] as const)
const writing = named.filter(([, { body }]) => body !== null)
const schemas = new Schemas(description)

describe('good requests', () => {
  it.each(writing)('to %s have a body that the description allows', (_name, target) => {
    for (const { document } of fc.sample(good.to(target), RUNS)) {
      expect(schemas.faults(resolved(description, target.body!), document)).toEqual([])
    }
  })

  it.each(named)(
    'to %s name the connection where the operation asks for it, and have a fresh key for a change',
    (_name, target) => {
      const property = target.parameters.find(({ name }) => name === 'property_id')
      const inPath =
        target.parameters.some(({ in: place }) => place === 'path') && target.name !== 'get /requests/{correlation_id}'
      const asks = property !== undefined || inPath
      const taken = target.parameters.some(({ name }) => name === 'Idempotency-Key')
      for (const { segments, query, headers } of fc.sample(good.to(target), RUNS)) {
        // A filter may be left out.
        if (property?.required !== false) expect(JSON.stringify([segments, query]).includes('con_known')).toBe(asks)
        expect(headers['idempotency-key']).toBe(taken ? FRESH_KEY : undefined)
      }
    },
  )
})

describe('inputs', () => {
  it.each(named)('of %s are good or distorted in one thing most of the time', (_name, target) => {
    const drawn = fc.sample(inputsOf(target, good, values), RUNS)
    const share = (count: number) =>
      drawn.filter(({ distortions }) => distortions.length === count).length / drawn.length
    expect(share(0)).toBeGreaterThan(0.1)
    expect(share(1)).toBeGreaterThan(0.4)
    expect(new Set(drawn.map(({ request }) => JSON.stringify(request))).size).toBeGreaterThan(20)
  })

  it('of an operation with a body are distorted in every part', () => {
    const target = targets.find(({ name }) => name === 'post /ari')!
    const drawn = fc.sample(inputsOf(target, good, values), { numRuns: 2_000, seed: 1 })
    const kinds = new Set(drawn.flatMap(({ distortions }) => distortions))
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        'unsigned',
        'path segment',
        'query value',
        'body changed',
        'content type',
        'idempotency key',
      ]),
    )
  })

  it('are shrunk from the place where they were drawn', async () => {
    const target = targets.find(({ name }) => name === 'post /ari')!
    const source = new InputSource({} as Lane, target, inputsOf(target, good, values), 1)
    const isBad = (distortions: string[]) => distortions.includes('body changed')
    let drawn = source.next()
    while (!isBad(drawn.input.distortions)) drawn = source.next()
    const tried: string[][] = []
    const least = await source.shrunk(drawn, async ({ distortions }) => {
      tried.push(distortions)
      return isBad(distortions) ? ['bad'] : []
    })
    expect(tried[0]).toEqual(drawn.input.distortions)
    expect(least).toMatchObject({ input: { distortions: ['body changed'] }, faults: ['bad'] })
    await expect(source.shrunk(drawn, async () => [])).resolves.toBeNull()
  })
})

describe('repetitive inputs', () => {
  const repetitiveOf = (name: string) => {
    const target = targets.find((one) => one.name === name)!
    const [draft] = fc.sample(good.to(target), { numRuns: 1, seed: 1 })
    return [...repetitiveInputs(target, draft!)].map(({ request }) => request)
  }

  it('are bodies as long as the signature doctor reads, with a signature that does not match', () => {
    const requests = repetitiveOf('post /ari')
    expect(requests.map(({ body }) => String(body))).toContain(`"${'\\"'.repeat(32_767)}`)
    for (const request of requests) {
      expect(sizeOf(request)).toBeLessThanOrEqual(65_536)
      expect(request.signature).toBe('wrong')
    }
  })

  it('are headers of calls without a body', () => {
    const prefer = repetitiveOf('get /reservations').map(({ headers }) => headers.prefer)
    expect(prefer).toContain(',"",'.repeat(3_249) + '"')
  })
})

describe('huge inputs', () => {
  const hugeOf = (name: string) => {
    const target = targets.find((one) => one.name === name)!
    const [draft] = fc.sample(good.to(target), { numRuns: 1, seed: 1 })
    return [...hugeInputs(description, target, draft!)]
  }

  it.each(writing)('to %s stay within the body limit and are JSON', (name) => {
    const inputs = hugeOf(name)
    expect(inputs.length).toBeGreaterThan(0)
    for (const { request } of inputs) {
      expect(sizeOf(request)).toBeLessThanOrEqual(MOST_BYTES)
      JSON.parse(String(request.body))
    }
  })

  it('fill every list and every object of the body', () => {
    const largest = hugeOf('post /ari').filter(({ request }) => sizeOf(request) > MOST_BYTES / 2)
    const kinds = largest.map(({ distortions }) => distortions[0]!)
    const countOf = (what: string) => Number(kinds.find((kind) => kind.endsWith(what))?.split(' ')[0])
    expect(countOf('empty objects at /updates')).toBeGreaterThan(345_000)
    expect(countOf('strings at /updates')).toBeGreaterThan(250_000)
    expect(countOf('unknown keys at /')).toBeGreaterThan(115_000)
    expect(kinds.map((kind) => kind.split(' at ')[1])).toEqual(
      expect.arrayContaining(['/updates/0/days_of_week', '/updates/0/rates', '/updates/0/restrictions', '/']),
    )
  })
})
