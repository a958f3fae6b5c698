import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ListedRoom, RoomList } from '@connectivity/contracts/catalog-lists'
import { Schemas } from '@connectivity/testing/schemas'
import { WholeStack } from '@connectivity/testing/whole-stack'
import { guidesFolder, snapshotFile } from '../src/files.js'
import type { Call, Document, Response } from '../src/openapi/model.js'
import { generatedClient } from './generated-client.js'
import { type Answer, PartnerCalls } from './partner-calls.js'
import { blocksOf, has, output } from './programs.js'
import { expectStoredAsServed, killedPullClient } from './pull-client.js'

const document = JSON.parse(readFileSync(snapshotFile, 'utf8')) as Document
const schemas = new Schemas(document)
const guide = (name: string): string => readFileSync(join(guidesFolder, `${name}.md`), 'utf8')

let stack: WholeStack
let partner: PartnerCalls
beforeAll(async () => {
  stack = await WholeStack.start()
  await stack.liftLimits()
  partner = new PartnerCalls(stack.demo.base_url, stack.connection)
}, 200_000)
afterAll(() => stack?.stop(), 60_000)

describe('the programs of the guide to signing', () => {
  const programs: [string, string, string, string[]][] = [
    ['js', 'first-page.mjs', process.execPath, []],
    ['python', 'first_page.py', 'python3', []],
    ['php', 'first-page.php', 'php', []],
    ['csharp', 'FirstPage.cs', 'dotnet', ['run']],
    ['java', 'FirstPage.java', 'java', []],
  ]

  it.each(programs.filter(([, , runtime]) => has(runtime)))(
    'fetch a page in %s',
    async (language, name, runtime, args) => {
      const [code] = blocksOf(guide('signing'), language)
      writeFileSync(stack.file(name), code!)
      const text = await output(runtime, [...args, stack.file(name)], stack.partnerEnvironment)
      expect(text).toMatch(/^200 \{"schema_version":"1\.0\.0",/)
      const page = JSON.parse(text.slice('200 '.length)) as { reservations: unknown[] }
      expect(page.reservations).toHaveLength(5)
    },
    60_000,
  )
})

describe('the quick start', () => {
  it('works as it stands, command by command', async () => {
    const next = `$(signed GET "/reservations?property_id=$PROPERTY_ID&limit=1" | sed 's/.*"next_cursor":"\\([^"]*\\)".*/\\1/')`
    const commands = blocksOf(guide('quick-start'), 'sh')
      .map((block) => block.replace(/^export .*…\S*.*\n/gm, '').replace('cursor=…', `cursor=${next}`))
      .filter((block) => block !== '')
    const [token, ...withToken] = commands.at(-1)!.trim().split('\n')
    const script = [
      ...commands.slice(0, -1),
      token!,
      `ACCESS_TOKEN=$(${token!} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
      ...withToken,
    ]
    writeFileSync(stack.file('quick-start.sh'), ['set -eu', ...script].join('\necho\n'))
    const { json } = await partner.call('GET', `/catalog/rooms?property_id=${stack.connection.property_id}`)
    const [{ service_id: ROOM_ID }] = (json as RoomList).rooms as [ListedRoom]
    const answers = (
      await output('bash', [stack.file('quick-start.sh')], { ...stack.partnerEnvironment, ROOM_ID })
    ).split('\n')
    const bodies = answers.filter((line) => line !== '')
    for (const body of bodies) expect(body).toMatch(/^\{"schema_version":"1\.0\.0",(?!"error")/)
    expect(bodies).toHaveLength(11)
    expect(bodies.filter((body) => body.includes('"cells_written":1'))).toHaveLength(1)
  }, 60_000)
})

describe('a generated client', () => {
  it('compiles and pulls', async () => {
    const { faults, pull } = await generatedClient(document)
    expect(faults).toEqual([])
    const { client_id, client_secret } = stack.connection.oauth
    const pulled = await pull(stack.demo.base_url, client_id, client_secret)
    expect(pulled).toMatchObject({
      property_id: stack.connection.property_id,
      refusal: 'property_forbidden',
      status: 403,
    })
    expect(pulled.reservations.length).toBeGreaterThan(100)
  }, 60_000)
})

describe('what the service answers is what is described', () => {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ method: method.toUpperCase(), path, call })),
  )
  const mine = (text: string): string =>
    text.replaceAll(/con_01jd3v8m6qf0y4b7t2x9k5n1ha/g, stack.connection.property_id)

  /** The path with the example of every parameter that has to be there. */
  function target({ path, call }: { path: string; call: Call }, propertyId: string): string {
    const parameters = call.parameters.map((one) =>
      schemas.resolved<{ name: string; in: string; required: boolean; example: string }>(one),
    )
    const required = parameters.filter((one) => one.required)
    const query = new URLSearchParams(
      required.filter((one) => one.in === 'query').map(({ name, example }) => [name, example] as [string, string]),
    )
    const id = required.find((one) => one.in === 'path')?.example ?? ''
    const filled = `${path.replace('{id}', id)}${query.size > 0 ? `?${query}` : ''}`
    return filled.replaceAll('con_01jd3v8m6qf0y4b7t2x9k5n1ha', propertyId)
  }

  function expectDescribed(call: Call, { status, headers, json }: Answer): void {
    const described = schemas.resolved<Response>(call.responses[status] ?? {})
    expect({ status, isDescribed: call.responses[status] !== undefined }).toEqual({ status, isDescribed: true })
    const schema = described.content?.['application/json']?.schema
    if (schema) expect(schemas.faults(schema, json)).toEqual([])
    else expect(json).toBeNull()
    const names = [...headers.keys()].filter(
      (name) => !/^(content-|date|connection|keep-alive|allow|transfer)/.test(name),
    )
    const known = Object.keys(described.headers ?? {}).map((name) => name.toLowerCase())
    expect(names.filter((name) => !known.includes(name))).toEqual([])
  }

  it.each(calls.filter(({ method }) => method === 'GET'))('$method $path', async ({ method, path, call }) => {
    const answer = await partner.call(method, target({ path, call }, stack.connection.property_id))
    expectDescribed(call, answer)
    if (answer.status !== 200) expect([path, answer.status]).toEqual([expect.stringMatching(/callback|\{id\}$/), 404])
    const tag = answer.headers.get('etag')
    if (tag === null) return
    const again = await partner.call(method, target({ path, call }, stack.connection.property_id), {
      headers: { 'if-none-match': tag },
    })
    expect(again.status).toBe(304)
    expectDescribed(call, again)
  })

  it.each(calls.filter(({ method }) => method !== 'GET'))(
    '$method $path, with its examples',
    async ({ method, path, call }) => {
      const media = call.requestBody?.content['application/json']
      const bodies = media
        ? Object.values(media.examples!).map(({ value }) => JSON.parse(mine(JSON.stringify(value))) as unknown)
        : [undefined]
      for (const body of bodies) {
        const headers = { 'idempotency-key': crypto.randomUUID() }
        expectDescribed(
          call,
          await partner.call(method, target({ path, call }, stack.connection.property_id), { body, headers }),
        )
      }
    },
  )

  it.each(calls)('$method $path, refused', async ({ method, path, call }) => {
    const foreign = target({ path, call }, 'con_of_somebody_else')
    expectDescribed(call, await partner.call(method, foreign, { signed: false }))
    const refused = await partner.call(
      method,
      foreign,
      method === 'GET' ? {} : { body: { property_id: 'con_of_somebody_else' } },
    )
    expectDescribed(call, refused)
    if (foreign.includes('con_of_somebody_else')) expect(refused.status).toBe(403)
    if (method !== 'GET') expectDescribed(call, await partner.call(method, foreign, { body: { unknown: 'field' } }))
  })
})

describe('the pull client', () => {
  it('has what the feed has, however often it is killed', async () => {
    const interrupted = await killedPullClient(stack)
    expect(interrupted).toBeGreaterThan(0)
    await expectStoredAsServed(stack, partner)
  }, 180_000)
})
