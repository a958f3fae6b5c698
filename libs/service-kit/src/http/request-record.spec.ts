import { request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fastify as createFastify, type FastifyInstance } from 'fastify'
import { register } from 'prom-client'
import type { Logger } from '../logging/logging.js'
import { recordRequests } from './request-record.js'
import { currentTraceparent } from '../tracing/trace-context.js'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`

describe('the record of a request', () => {
  let fastify: FastifyInstance
  let lines: [level: string, line: Record<string, unknown>][]
  const arrived = Promise.withResolvers<void>()

  beforeAll(async () => {
    const note = (level: string) => (line: Record<string, unknown>) => void lines.push([level, line])
    fastify = createFastify({ genReqId: () => 'correlation' })
    recordRequests(fastify, { info: note('info'), debug: note('debug') } as unknown as Logger)
    fastify.get('/things/:id', (request, reply) => {
      request.record.fields.application_id = 'app_1'
      request.record.code = 'not_found'
      return reply.status(404).send('0123456789')
    })
    fastify.post('/things', () => currentTraceparent())
    fastify.get('/hijacked', (_request, reply) => void reply.hijack().raw.writeHead(200).end('bytes'))
    fastify.get('/never', (_request, reply) => {
      reply.hijack()
      arrived.resolve()
    })
    fastify.get('/health/ready', () => 'ok')
    await fastify.listen({ port: 0, host: '127.0.0.1' })
  })
  beforeEach(() => (lines = []))
  afterAll(() => fastify.close())

  /** Waits for the line: it is written once the answer is handed over, and the client may get the answer first. */
  const written = async () => {
    while (lines.length === 0) await new Promise(setImmediate)
    return lines
  }
  const url = (path: string) => `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}${path}`

  it('is one line with the route template (never the target), the trace and the fields of handlers', async () => {
    await (await fetch(url('/things/secret?token=secret'), { headers: { traceparent } })).text()
    expect(await written()).toEqual([
      [
        'info',
        expect.objectContaining({
          method: 'GET',
          route: '/things/:id',
          status: 404,
          code: 'not_found',
          application_id: 'app_1',
          correlation_id: 'correlation',
          trace_id: TRACE,
          duration_ms: expect.any(Number),
        }),
      ],
    ])
    expect(lines[0]![1].bytes).toBeGreaterThan(10)
    expect(JSON.stringify(lines)).not.toContain('secret')
  })

  it('names no route for an unknown path', async () => {
    await (await fetch(url('/secret'))).text()
    expect(await written()).toEqual([['info', expect.objectContaining({ route: 'none', status: 404 })]])
  })

  it('is written for hijacked answers too', async () => {
    await (await fetch(url('/hijacked'))).text()
    expect(await written()).toEqual([['info', expect.objectContaining({ route: '/hijacked', status: 200 })]])
  })

  it('reports that the client went away', async () => {
    const { hostname, port } = new URL(url('/'))
    const request = send({ hostname, port, path: '/never', agent: false })
    request.on('error', () => undefined).end()
    await arrived.promise
    request.destroy()
    expect(await written()).toEqual([
      ['info', expect.objectContaining({ route: '/never', status: 499, aborted: true })],
    ])
  })

  it('logs probes at level debug', async () => {
    await (await fetch(url('/health/ready'))).text()
    expect(await written()).toEqual([['debug', expect.objectContaining({ route: '/health/ready' })]])
  })

  it('passes the trace to the effects of a change, also after its body has been read', async () => {
    const answer = await fetch(url('/things'), {
      method: 'POST',
      headers: { traceparent, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(await answer.text()).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
    await written()
  })

  it('is counted in the metrics', async () => {
    const metrics = await register.metrics()
    expect(metrics).toContain(
      'connectivity_http_requests_total{route="/things/:id",method="GET",status="404",code="not_found"} 1',
    )
    expect(metrics).toContain('connectivity_http_request_duration_seconds_count{route="/hijacked",method="GET"} 1')
    expect(metrics).toContain('connectivity_http_requests_in_flight 0')
  })
})
