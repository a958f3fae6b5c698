import type { ErrorBody } from '@connectivity/contracts/errors'
import { type CatalogInProcess, catalogInProcess } from './catalog-in-process.js'

/** CPU limit of one refused call, ms: client, listener and all else in this thread. Unbounded checks take seconds. */
const MAX_CPU = 250
/** Time for which a call is tried again, ms: other processes use the machine too. */
const TRIED_FOR = 10_000

let catalog: CatalogInProcess
beforeAll(async () => {
  catalog = await catalogInProcess()
})
afterAll(() => catalog.end())

const target = '/ops/v1/connections/con_1/mappings'
const operator = (body: unknown) => catalog.operate('PUT', target, body)
const partner = (body: unknown) => catalog.call('con_1', 'POST', '/properties/con_1/mappings', { body })

/** The answer, and the least CPU time of as many tries as it takes to stay within the limit. */
async function measured(ask: () => ReturnType<typeof operator>) {
  let least = Infinity
  let answer = await ask()
  for (const end = Date.now() + TRIED_FOR; least > MAX_CPU && Date.now() < end;) {
    const before = process.threadCpuUsage()
    answer = await ask()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  const { error } = answer.body as ErrorBody
  return { least, status: answer.status, error }
}

const unknownKeys = Object.fromEntries(Array.from({ length: 100_000 }, (_, key) => [key.toString(36), 0]))

describe.each([
  ['an operator', operator],
  ['a partner, whose gateway let it through', partner],
])('a body of about 1 MiB from %s', (_who, send) => {
  it.each([
    ['340,000 objects in a list', { mappings: Array(340_000).fill({}) }, 'too_many_values', '/mappings/59998'],
    ['50,000 objects in a list', { mappings: Array(50_000).fill({}) }, 'invalid_value', '/mappings'],
    ['250,000 texts in a list', { mappings: Array(250_000).fill('') }, 'too_many_values', '/mappings/199997'],
    ['100,000 unknown keys', unknownKeys, 'too_many_keys', ''],
    ['one list in a list', { reason: 'r', mappings: [[]] }, 'invalid_value', '/mappings/0'],
  ])('is refused at little cost: %s', async (_what, body, code, pointer) => {
    const { status, error, least } = await measured(() => send(body))
    expect([status, error.code]).toEqual([400, 'invalid_request'])
    expect(error.details).toContainEqual(expect.objectContaining({ code, pointer }))
    expect(least).toBeLessThan(MAX_CPU)
  })
})
