// CPU time of the log line and the metrics of a request, by the services' own code. A process of its own, because the
// logger writes to standard output, which leads nowhere here.
import { EventEmitter } from 'node:events'
import { createLogger } from '@connectivity/service-kit/logging'
import { sendToParent } from './forked.ts'

const REQUESTS = 100_000
const ROUNDS = 6

/** The hook that watches requests. */
type Watch = (request: object, reply: object, done: () => void) => void

/** Module of service-kit that registers the hook; the library does not export it. */
interface RecordModule {
  recordRequests: (fastify: object, log: object) => void
}

/** Fields that a page's request has in the gateway's line. */
const FIELDS = {
  application_id: 'app_01jd3v8m6qf0y4b7t2x9k5n1ha',
  connection_id: 'con_01jd3v8m6qf0y4b7t2x9k5n1ha',
  key_id: 'sk_01jd3v8m6qf0y4b7t2x9k5n1ha',
  limit: 'feed',
  limit_remaining: 59,
  upstream: 'reservation-feed',
  upstream_ms: 2.123,
}

const request = (index: number) => ({
  method: 'GET',
  id: `bench-${index}-${'x'.repeat(24)}`,
  headers: {},
  routeOptions: { url: '/api/connectivity/v1/reservations' },
  raw: { socket: { bytesWritten: index } },
})

class Answer extends EventEmitter {
  readonly headersSent = true
  readonly statusCode = 200
  readonly writableFinished = true
}

const url = new URL('../../libs/service-kit/dist/http/request-record.js', import.meta.url)
const { recordRequests } = (await import(url.href)) as RecordModule
const hooks: Watch[] = []
const fastify = { decorateRequest: () => undefined, addHook: (_name: string, hook: Watch) => hooks.push(hook) }
recordRequests(fastify, createLogger('gateway', 'info', '0.1.0'))

/** CPU time of one request, µs. */
async function round(): Promise<number> {
  const begin = process.cpuUsage()
  for (let index = 0; index < REQUESTS; index++) {
    const [answer, one] = [new Answer(), request(index) as ReturnType<typeof request> & { record?: { fields: object } }]
    for (const hook of hooks) hook(one, { raw: answer }, () => undefined)
    Object.assign(one.record?.fields ?? {}, FIELDS)
    answer.emit('close')
    // Requests come over many turns of the event loop; the log is written between them.
    if (index % 100 === 0) await new Promise(setImmediate)
  }
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / REQUESTS
}

const rounds: number[] = []
for (let count = 0; count < ROUNDS; count++) rounds.push(await round())
// The first round compiles the code.
sendToParent(rounds.slice(1))
