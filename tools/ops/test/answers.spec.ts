import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerTo } from '../answers.ts'
import { OperatorsInterface } from '../operators-interface.ts'
import { read } from './read.ts'

const page = (connections: object[], next_cursor: string | null) => ({
  schema_version: '1.0.0',
  connections,
  pagination: { limit: 100, count: connections.length, has_more: next_cursor !== null, next_cursor },
})
const connection = (property_id: string, last_polled_at: string | null) => ({ property_id, feed: { last_polled_at } })

describe('the answer to a command', () => {
  let asked: string[]
  let answers: Record<string, object>
  const server = createServer((request, response) => {
    asked.push(request.url!)
    const found = answers[request.url!]
    const error = { code: 'not_found', message: 'There is no dead letter with this id.', correlation_id: 'c' }
    response.writeHead(found ? 200 : 404).end(JSON.stringify(found ?? { schema_version: '1.0.0', error }))
  })
  let service: OperatorsInterface
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    service = new OperatorsInterface({ base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 't' })
  })
  beforeEach(() => {
    asked = []
    answers = {}
  })
  afterAll(() => server.close())

  const run = async (...argv: string[]) => {
    const { command, values } = await read(...argv)
    return answerTo(service, command, values)
  }

  it('comes from the service that knows the dead letter', async () => {
    answers['/dead-letters/ari/dl_1'] = { schema_version: '1.0.0', id: 'dl_1' }
    expect((await run('dead-letters', 'show', 'dl_1')).json).toMatchObject({ id: 'dl_1' })
    expect(asked).toEqual(['catalog', 'reservation-feed', 'ari'].map((name) => `/dead-letters/${name}/dl_1`))
  })

  it('is the refusal of the last service when none knows it', async () => {
    await expect(run('dead-letters', 'show', 'dl_1')).rejects.toMatchObject({ status: 404 })
    expect(asked).toHaveLength(5)
  })

  it('is sorted over all pages, silent partners first, and cut afterwards', async () => {
    answers['/overview?limit=100'] = page([connection('con_a', '2026-11-20T10:00:00.000Z')], 'next')
    const rest = [connection('con_b', null), connection('con_c', '2026-11-20T09:00:00.000Z')]
    answers['/overview?limit=100&cursor=next'] = page(rest, null)
    const { json } = await run('overview', '--sort', 'silence', '--limit', '2')
    expect(json).toMatchObject({
      connections: [{ property_id: 'con_b' }, { property_id: 'con_c' }],
      pagination: { count: 2, has_more: true },
    })
  })
})
