import { Schemas } from '@connectivity/testing/schemas'
import type { Call, Response } from '../../src/openapi/model.js'
import type { PartnerAnswer } from '@connectivity/toolkit/partner'
import type { PartnerCalls } from './partner-calls.js'
import { document, type System } from './system.js'

/** Connection in the examples. */
const EXAMPLE = 'con_01jd3v8m6qf0y4b7t2x9k5n1ha'
const FOREIGN = 'con_of_somebody_else'

const schemas = new Schemas(document)
const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, call]) => ({ method: method.toUpperCase(), path, call })),
)

/** Path with the example of every required parameter. */
function target({ path, call }: { path: string; call: Call }, connectionId: string): string {
  const parameters = call.parameters.map((one) =>
    schemas.resolved<{ name: string; in: string; required: boolean; example: string }>(one),
  )
  const required = parameters.filter((one) => one.required)
  const query = new URLSearchParams(
    required.filter((one) => one.in === 'query').map(({ name, example }) => [name, example] as [string, string]),
  )
  const id = required.find((one) => one.in === 'path')?.example ?? ''
  const filled = `${path.replace(/\{\w+\}/, id)}${query.size > 0 ? `?${query}` : ''}`
  return filled.replaceAll(EXAMPLE, connectionId)
}

/** Bodies of the examples with another connection in them; a single `undefined` for a call without a body. */
function exampleBodies({ requestBody }: Call, connectionId: string): (object | undefined)[] {
  const media = requestBody?.content['application/json']
  if (!media) return [undefined]
  const texts = Object.values(media.examples!).map(({ value }) => JSON.stringify(value))
  return texts.map((text) => JSON.parse(text.replaceAll(EXAMPLE, connectionId)) as object)
}

function expectDescribed(call: Call, { status, headers, text, body }: PartnerAnswer<unknown>): void {
  const described = schemas.resolved<Response>(call.responses[status] ?? {})
  expect({ status, isDescribed: call.responses[status] !== undefined }).toEqual({ status, isDescribed: true })
  const schema = described.content?.['application/json']?.schema
  if (schema) expect(schemas.faults(schema, body)).toEqual([])
  else expect(text).toBe('')
  const names = [...headers.keys()].filter(
    (name) => !/^(content-|date|connection|keep-alive|allow|transfer|vary)/.test(name),
  )
  const known = Object.keys(described.headers ?? {}).map((name) => name.toLowerCase())
  expect(names.filter((name) => !known.includes(name))).toEqual([])
}

/** Compares every answer of the service with the description. */
export function describeAnswers(system: () => System): void {
  describe('the answers of the service match the description', () => {
    const ask: PartnerCalls['call'] = (...call) => system().partner.call(...call)
    const ownProperty = () => system().stack.connection.property_id

    it.each(calls.filter(({ method }) => method === 'GET'))('$method $path', async ({ method, path, call }) => {
      const own = target({ path, call }, ownProperty())
      const answer = await ask(method, own)
      expectDescribed(call, answer)
      // Nothing has the ids of the examples.
      const mayBeMissing = expect.stringMatching(/callback|_id\}(\/attempts)?$/)
      if (answer.status !== 200) expect([path, answer.status]).toEqual([mayBeMissing, 404])
      const tag = answer.headers.get('etag')
      if (tag === null) return
      const again = await ask(method, own, { headers: { 'if-none-match': tag } })
      expect(again.status).toBe(304)
      expectDescribed(call, again)
    })

    it.each(calls.filter(({ method }) => method !== 'GET'))(
      '$method $path, with its examples',
      async ({ method, path, call }) => {
        for (const body of exampleBodies(call, ownProperty())) {
          const headers = { 'idempotency-key': crypto.randomUUID() }
          expectDescribed(call, await ask(method, target({ path, call }, ownProperty()), { body, headers }))
        }
      },
    )

    it.each(calls)('$method $path, refused', async ({ method, path, call }) => {
      const foreign = target({ path, call }, FOREIGN)
      expectDescribed(call, await ask(method, foreign, { signed: false }))
      const refused = await ask(method, foreign, method === 'GET' ? {} : { body: { property_id: FOREIGN } })
      expectDescribed(call, refused)
      if (foreign.includes(FOREIGN)) expect(refused.status).toBe(403)
      if (method !== 'GET') expectDescribed(call, await ask(method, foreign, { body: { unknown: 'field' } }))
    })
  })
}
