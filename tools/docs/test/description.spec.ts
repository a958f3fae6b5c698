import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { type ErrorCode, errorStatus } from '@connectivity/contracts/errors'
import { parametersOf } from '@connectivity/contracts/parameter-names'
import { MAX_BODY_BYTES, operations } from '@connectivity/contracts/partner-api'
import { MAX_VALUE_BYTES } from '@connectivity/contracts/query-parameters'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { readBody } from '@connectivity/service-kit/http'
import { IsHexColor } from 'class-validator'
import { releasedFile, rulesetFile, snapshotFile } from '../src/files.js'
import { generated } from '../src/generated.js'
import { breakingChanges } from '../src/openapi/breaking.js'
import { calls } from '../src/openapi/calls/calls.js'
import { boundsOf } from '../src/openapi/bounds.js'
import { textOf } from '../src/openapi/document.js'
import type { Call, Document, MediaType, Parameter, Response, Schema } from '../src/openapi/model.js'
import { Schemas } from '@connectivity/testing/schemas'

const SPECTRAL = createRequire(import.meta.url).resolve('@stoplight/spectral-cli/dist/index.js')
const read = (file: string): string => readFileSync(file, 'utf8')
const document = JSON.parse(read(snapshotFile)) as Document
const everyCall = Object.values(document.paths).flatMap((path) => Object.values(path))

describe('the committed description', () => {
  it('matches the code; `npm run describe` rewrites it', async () => {
    for (const { file, text } of await generated(read, 'src'))
      expect({ file, text: read(file) }).toEqual({ file, text })
  })

  it('breaks nothing that was released', () => {
    // Only sessions of the portal get these answers, and no released client has one.
    const health = 'add paths//auth/health/get/responses/200/content/application/json/schema/properties'
    const ofSessions = [`${health}/auth_method/enum/2`, `${health}/credential/nullable`]
    const found = breakingChanges(JSON.parse(read(releasedFile)) as Document, document)
    expect(found.filter((change) => !ofSessions.includes(change))).toEqual([])
  })

  it('names no internal document', () => {
    expect(read(snapshotFile)).not.toMatch(/\b\w+\.md\b(?!\))/)
  })
})

describe('the description', () => {
  it('describes every call, and no others', () => {
    expect(Object.keys(calls).sort()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).sort())
    const unknown = { ...operations[0]!, path: '/nobody/described/me' }
    expect(() => textOf(unknown)).toThrow('POST /nobody/described/me is not described')
  })

  it('passes Spectral’s rules for OpenAPI without an error or a warning', async () => {
    const args = [SPECTRAL, 'lint', snapshotFile, '--ruleset', rulesetFile, '--format', 'json', '--quiet']
    const { stdout } = await promisify(execFile)(process.execPath, args).catch((failure: { stdout: string }) => failure)
    expect(JSON.parse(stdout)).toEqual([])
  })

  it('summarises a call as a verb and its object', () => {
    const sent = Object.values(document['x-webhooks']).map(({ post }) => post)
    expect(sent).not.toEqual([])
    for (const { summary } of [...everyCall, ...sent]) expect(summary).toMatch(/^[A-Z][a-z]+ \w+(?:[ ,]\w*)*$/)
  })

  it('names everything that is sent to partners both under its call and as a webhook', () => {
    const callbacks = everyCall.flatMap((call) =>
      Object.values(call.callbacks ?? {}).flatMap(Object.values<{ post: Call }>),
    )
    expect(Object.fromEntries(callbacks.map(({ post: { operationId, ...post } }) => [operationId, { post }]))).toEqual(
      document['x-webhooks'],
    )
    expect(Object.keys(document['x-webhooks'])).toHaveLength(3)
  })

  it('demands the three headers together, a token or a session, and no credentials to get a token or a session', () => {
    const signature = { KeyId: [], Timestamp: [], Signature: [] }
    expect(document.security).toEqual([signature, { Bearer: [] }, { PortalSession: [] }])
    const own = everyCall.filter(({ security }) => security?.length === 0).map(({ operationId }) => operationId)
    expect(own.toSorted()).toEqual(['createAccessToken', 'signIn'])
  })

  it('has the query parameters that the gateway knows, of every call', () => {
    const known = Object.fromEntries(
      operations.map((operation) => [
        calls[`${operation.method} ${operation.path}`]!.operationId,
        parametersOf(operation),
      ]),
    )
    const { parameters: shared } = document.components as unknown as { parameters: Record<string, Parameter> }
    const named = (one: { $ref: string } | Parameter) => ('$ref' in one ? shared[one.$ref.split('/').at(-1)!]! : one)
    const described = everyCall.map(({ operationId, parameters }) => {
      const inQuery = parameters.map((one) => named(one as Parameter)).filter((one) => one.in === 'query')
      return [operationId, inQuery.map(({ name }) => name)]
    })
    expect(Object.fromEntries(described)).toEqual(known)
  })

  it('uses each operation id once', () => {
    const ids = everyCall.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('refuses a validator without schema keywords', () => {
    class Body {
      @IsHexColor()
      colour: string
    }
    expect(() => boundsOf(Body)).toThrow('no words for isHexColor of Body.colour')
  })
})

describe('the errors of the description', () => {
  const { responses, schemas } = document.components
  const codesOf = (name: string) => schemas[name]!.allOf![1]!.properties!.code!.enum as ErrorCode[]

  it('are shared by the calls', () => expect(responses).not.toEqual({}))

  it('have one body, which each status narrows to its codes', () => {
    for (const [name, { content }] of Object.entries(responses)) {
      const status = Number(/\d+/.exec(name)![0])
      expect(content!['application/json']!.schema).toEqual({ $ref: `#/components/schemas/ErrorBody${status}` })
      expect(schemas[`ErrorBody${status}`]!.allOf![0]).toEqual({ $ref: '#/components/schemas/ErrorBody' })
      for (const code of codesOf(`ErrorInfo${status}`)) expect([code, errorStatus[code]]).toEqual([code, status])
    }
  })

  it('name the codes of each call', () => {
    for (const [name, { 'x-error-codes': codes, content }] of Object.entries(responses)) {
      expect(codes).toEqual(Object.keys(content!['application/json']!.examples!))
      expect(codesOf(`ErrorInfo${/\d+/.exec(name)![0]}`)).toEqual(expect.arrayContaining([...codes!]))
    }
  })

  it('make one type for each status and not for each call', () => {
    const statuses = new Set(Object.keys(responses).map((name) => /\d+/.exec(name)![0]))
    const types = Object.keys(schemas).filter((name) => name.startsWith('Error'))
    expect(types).toHaveLength(['ErrorBody', 'ErrorInfo', 'ErrorDetail', 'ErrorCode'].length + 2 * statuses.size)
  })
})

describe('every schema', () => {
  const parts: (readonly [place: string, schema: Schema])[] = []
  const collect = (place: string, schema: Schema): void => {
    parts.push([place, schema])
    if (schema.items) collect(`${place}[]`, schema.items)
    for (const [index, part] of (schema.allOf ?? []).entries()) collect(`${place}(${index})`, part)
    for (const [name, field] of Object.entries(schema.properties ?? {})) collect(`${place}.${name}`, field)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) collect(name, schema)
  const placesWhere = (holds: (schema: Schema) => boolean) =>
    parts.filter(([, schema]) => holds(schema)).map(([p]) => p)

  it('describes the elements of its lists', () => {
    expect(placesWhere(({ type, items }) => type === 'array' && Object.keys(items ?? {}).length === 0)).toEqual([])
  })

  it('has a description, and its fields have one or are described types', () => {
    const isDescribed = ({ description = '', $ref }: Schema) => $ref !== undefined || description !== ''
    const fields = parts.flatMap(([place, { properties = {} }]) =>
      Object.entries(properties).map(([name, field]) => [`${place}.${name}`, field] as const),
    )
    const all = [...Object.entries(document.components.schemas), ...fields]
    expect(all.filter(([, schema]) => !isDescribed(schema)).map(([place]) => place)).toEqual([])
  })

  it('bounds what a client sends', () => {
    const bodies = new Set(['TokenRequest', ...operations.flatMap(({ body }) => body?.name ?? [])])
    const sent = parts.filter(([place]) => [...bodies].some((name) => place === name || place.startsWith(`${name}.`)))
    const isBounded = ({ type, format, pattern, maxLength, maxItems, enum: words, ...schema }: Schema): boolean =>
      (typeof schema.additionalProperties !== 'object' || isBounded(schema.additionalProperties)) &&
      (type !== 'array' || maxItems !== undefined) &&
      (type !== 'string' || [format, pattern, maxLength, words].some((bound) => bound !== undefined))
    const unbounded = sent.filter(([, schema]) => !isBounded(schema)).map(([place]) => place)
    expect(unbounded).toEqual([])
  })

  it('bounds a text by what the service reads', () => {
    const { AriWrite, CallbackDiagnosis, TokenRequest } = document.components.schemas
    const { client_id, client_secret, scope } = TokenRequest!.properties!
    for (const text of [client_id, client_secret, scope]) expect(text).toMatchObject({ maxLength: MAX_VALUE_BYTES })
    // Any text is readable: one that is not the rate plan's currency gets 422. It only has to fit into the body.
    expect(AriWrite!.properties!.currency).toMatchObject({ maxLength: MAX_BODY_BYTES })
    expect(CallbackDiagnosis!.properties!.headers!.additionalProperties).toMatchObject({ maxLength: MAX_BODY_BYTES })
  })

  it('bounds the lists of a page', () => {
    const { FeedPage, EventPage } = document.components.schemas
    for (const list of [
      FeedPage!.properties!.reservations,
      FeedPage!.properties!.errors,
      EventPage!.properties!.events,
    ])
      expect(list).toMatchObject({ type: 'array', maxItems: 100 })
  })
})

describe('every example', () => {
  const schemas = new Schemas(document)
  const webhooks = Object.entries(document['x-webhooks']).map(([operationId, { post }]) => ({ operationId, ...post }))
  const bodies = [...everyCall, ...webhooks].flatMap(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).map((media) => [operationId, media] as const),
  )
  const ownAnswers = everyCall.flatMap(({ operationId, responses }) =>
    Object.entries(responses).map(([status, response]) => [`${operationId} ${status}`, response as Response] as const),
  )
  const answers = [...ownAnswers, ...Object.entries(document.components.responses)].flatMap(([name, { content }]) =>
    Object.values(content ?? {}).map((media) => [name, media] as const),
  )

  it.each([...bodies, ...answers])('of %s fits its schema, with no field that is not described', (_name, media) => {
    const examples = Object.values((media as MediaType).examples ?? {})
    expect(examples).not.toEqual([])
    for (const { value } of examples) expect(schemas.faults(media.schema, value)).toEqual([])
  })

  it('of a parameter or header fits its schema', () => {
    const parameters = everyCall.flatMap(({ parameters }) => parameters.map((one) => schemas.resolved(one)))
    expect(parameters).not.toEqual([])
    expect(document.components.headers).not.toEqual({})
    for (const { name, schema, example } of [
      ...(parameters as { name: string; schema: object; example: unknown }[]),
      ...Object.entries(document.components.headers).map(([name, header]) => ({ name, ...header })),
    ]) {
      expect({ name, faults: schemas.faults(schema, example) }).toEqual({ name, faults: [] })
    }
  })
})

describe('the example of a problem', () => {
  it('points at a field that reservations have', () => {
    const { content } = document.paths['/reservations']!.get!.responses['200'] as Response
    const pages = Object.values(Object.values(content!)[0]!.examples!).map(({ value }) => value as FeedPage)
    const [reservation] = pages.flatMap(({ reservations }) => reservations)
    const pointers = pages.flatMap(({ errors }) => errors.flatMap(({ details }) => details.map((one) => one.pointer)))
    expect(pointers).not.toEqual([])
    for (const pointer of pointers) expect(reservation).toHaveProperty(pointer.slice(1).replaceAll('/', '.'))
  })
})

describe('the schema of a body', () => {
  const bodies = operations.flatMap(({ method, path, body }) =>
    body ? [{ name: `${method} ${path}`, method, path, body }] : [],
  )

  it.each(bodies)(
    'of $name agrees with its validator on its examples and on its required fields',
    ({ method, path, body }) => {
      const media = document.paths[path]![method.toLowerCase()]!.requestBody!.content['application/json']!
      const { required = [] } = document.components.schemas[body.name]!
      for (const { value } of Object.values(media.examples!) as { value: object }[]) {
        expect(readBody(body, value)).toBeInstanceOf(body)
        for (const name of required) {
          const { [name]: _missing, ...rest } = value as Record<string, unknown>
          expect(() => readBody(body, rest)).toThrow(name)
        }
      }
    },
  )
})

describe('the check for breaking changes', () => {
  /** One path of the description, its calls without most refusals, so that it is quick to compare. */
  function smallDocument(path: string): Document {
    const { paths, ...rest } = structuredClone(document)
    for (const call of Object.values(paths[path]!)) {
      const kept = Object.entries(call.responses).filter(([status]) => /^[23]|500/.test(status))
      call.responses = Object.fromEntries(kept)
    }
    const small: Document = { ...rest, paths: { [path]: paths[path]! } }
    return { ...small, components: { ...small.components, ...usedComponents(small) } }
  }

  /** Components of a document that its calls refer to, directly or through others. */
  function usedComponents({ paths, components }: Document): Partial<Document['components']> {
    const used: Record<string, Record<string, unknown>> = {}
    const collect = (value: unknown): void => {
      for (const [, kind, name] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
        if (used[kind!]?.[name!]) continue
        const component = (components as unknown as typeof used)[kind!]![name!]
        used[kind!] = { ...used[kind!], [name!]: component }
        collect(component)
      }
    }
    collect(paths)
    return used
  }

  const LIST = '/properties'
  const MAPPINGS = '/properties/{id}/mappings'
  const FEED = '/reservations'
  const pull = (document: Document) => document.paths['/reservations']!.get!
  const schemaOf = ({ components }: Document, name: string) => components.schemas[name]!
  const faults: [name: string, path: string, spoil: (document: Document) => void][] = [
    ['a call that is gone', LIST, ({ paths }) => delete paths['/properties']],
    ['a field that is gone from an answer', FEED, (d) => delete schemaOf(d, 'Reservation').properties!.guest_count],
    ['a field that may be null', FEED, (d) => (schemaOf(d, 'Reservation').properties!.check_in!.nullable = true)],
    ['a field of another type', FEED, (d) => (schemaOf(d, 'Reservation').properties!.check_in!.type = 'integer')],
    ['a new word in an answer', FEED, (d) => schemaOf(d, 'BookingStatus').enum!.push('odd')],
    ['a new required field', MAPPINGS, (d) => schemaOf(d, 'MappingsWrite').required!.push('expected_version')],
    [
      'a field that is gone from a request',
      MAPPINGS,
      (d) => delete schemaOf(d, 'MappingsWrite').properties!.expected_version,
    ],
    ['a narrower bound', MAPPINGS, (d) => (schemaOf(d, 'MappingsWrite').properties!.mappings!.maxItems = 10)],
    ['a parameter that is gone', FEED, (d) => pull(d).parameters.splice(2, 1)],
    ['an answer that is gone', FEED, (d) => delete pull(d).responses['304']],
    [
      'a header that is gone',
      FEED,
      (d) => delete (pull(d).responses['200'] as Response).headers!['Service-Checkpoint'],
    ],
    ['another way to authenticate', LIST, (d) => d.security.shift()],
  ]

  it.each(faults)('finds %s', (_name, path, spoil) => {
    const spoilt = smallDocument(path)
    spoil(spoilt)
    expect(breakingChanges(smallDocument(path), spoilt)).not.toEqual([])
  })

  it('accepts additions: a field of an answer, an optional field of a body, an error code', () => {
    for (const [path, type] of [
      [FEED, 'Reservation'],
      [MAPPINGS, 'MappingsWrite'],
    ] as const) {
      const extended = smallDocument(path)
      schemaOf(extended, type).properties!.nova = { type: 'string' }
      schemaOf(extended, 'ErrorInfo500').allOf![1]!.properties!.code!.enum!.push('new_code')
      expect(breakingChanges(smallDocument(path), extended)).toEqual([])
    }
  })
})
