// Cost of the request log: what a request pays for its entry, and what its writing costs after the answer. Runs the
// gateway's own code in this process, on the database of a stack. Also the cost of a
// request's line and metrics.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Database } from '@connectivity/database'
import { withOwnStack } from '@connectivity/toolkit/own-stack'
import { median } from '@connectivity/toolkit/statistics'
import type { Report } from './report/report.ts'

/** Entries of one statement, as the gateway writes them. */
const BATCH = 1_000
const BATCHES = 100
const ROUNDS = 5
const CONNECTION_ID = 'con_01jd3v8m6qf0y4b7t2x9k5n1ha'
const TARGET = `/api/connectivity/v1/reservations?property_id=${CONNECTION_ID}&updated_since=2026-11-20T10:15:30.123Z`

/** The gateway's functions and classes that the benchmark uses. */
interface Gateway {
  matchTarget: (target: string) => object | null
  resolvePartnerRequest: (http: object, reply: object) => { facts: object }
  foldKeyOf: (partner: object, status: number) => string | null
  logEntryOf: (partner: object, ended: { status: number; bytes: number }, foldKey: string | null) => object
  EntryQueue: new (dropped: () => void) => { add: (entry: object) => void; take: (count: number) => object[] }
  RequestLogStore: new (database: Pick<Database, 'query'>) => { write: (entries: readonly object[]) => Promise<void> }
}

const modules = [
  'http/requests/partner-route',
  'http/requests/partner-request',
  'request-log/logged-request',
  'request-log/fold-key',
  'request-log/entry-queue',
  'request-log/request-log.store',
]

/** The gateway as the start of the stack has built it. */
async function builtGateway(): Promise<Gateway> {
  const hrefs = modules.map((name) => new URL(`../../apps/gateway/dist/${name}.js`, import.meta.url).href)
  const loaded = await Promise.all(hrefs.map((href) => import(href) as Promise<Partial<Gateway>>))
  return Object.assign({}, ...loaded) as Gateway
}

/** Facts of a request that was served a page. */
const served = {
  caller: { applicationId: 'app_1', type: 'signing', keyId: 'key_1' },
  connectionId: CONNECTION_ID,
  answer: { status: 200, page: '1795240530123 1795240540123 50', isEmpty: false, bytes: 60_000 },
}

function servedPage({ matchTarget, resolvePartnerRequest }: Gateway, index: number): object {
  const fields = { limit: 'feed', limit_remaining: 59 }
  const http = {
    method: 'GET',
    originalUrl: TARGET,
    id: `bench-${index}-${'x'.repeat(24)}`,
    headers: { 'x-service-timestamp': '1795240530' },
    record: { route: null, code: null, message: null, details: undefined, storedAnswer: null, fields },
    raw: { headers: {}, partnerRoute: matchTarget(TARGET), socket: { remoteAddress: '127.0.0.1' } },
    ip: '127.0.0.1',
  }
  const partner = resolvePartnerRequest(http, {})
  Object.assign(partner.facts, served)
  return partner
}

/** The parts of the work for one batch, by their names. */
type Parts = Record<string, () => void | Promise<void>>

function partsOf(gateway: Gateway, database: Database): Parts {
  const { EntryQueue, RequestLogStore, foldKeyOf, logEntryOf } = gateway
  const requests = Array.from({ length: BATCH }, (_, index) => servedPage(gateway, index))
  const queue = new EntryQueue(() => undefined)
  const [encoder, store] = [
    new RequestLogStore({ query: () => Promise.resolve({} as never) }),
    new RequestLogStore(database),
  ]
  let taken: object[] = []
  return {
    'the request: entry built and queued': () => {
      for (const request of requests) queue.add(logEntryOf(request, { status: 200, bytes: 0 }, foldKeyOf(request, 200)))
    },
    'later: values of a statement': () => {
      taken = queue.take(BATCH)
      return encoder.write(taken)
    },
    'later: the same, sent and answered': () => store.write(taken),
  }
}

/** CPU time of this process for an entry, of each part in turn, µs. */
async function round(parts: Parts): Promise<Record<string, number>> {
  const used = Object.fromEntries(Object.keys(parts).map((name) => [name, 0]))
  for (let batch = 0; batch < BATCHES; batch++) {
    for (const [name, work] of Object.entries(parts)) {
      const begin = process.cpuUsage()
      await work()
      const { user, system } = process.cpuUsage(begin)
      used[name]! += (user + system) / (BATCH * BATCHES)
    }
  }
  return used
}

/** CPU time of the log line and the metrics of a request, µs. */
async function lineAndMetrics(): Promise<number> {
  const program = fileURLToPath(new URL('log-line.ts', import.meta.url))
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [rounds] = (await once(child, 'message')) as [number[]]
  child.kill()
  return median(rounds)
}

export const bench = (_options: string[], report: Report): Promise<void> =>
  withOwnStack(async ({ postgres }) => {
    const database = new Database({ url: postgres.gateway, applicationName: 'bench', migrations: [] })
    try {
      const parts = partsOf(await builtGateway(), database)
      await round(parts)
      const rounds: Record<string, number>[] = []
      for (let count = 0; count < ROUNDS; count++) rounds.push(await round(parts))
      const title = 'CPU of one process for an entry of the request log, µs'
      const each = Object.keys(parts).map((name) => [name, median(rounds.map((one) => one[name]!))] as const)
      report.table({ title, rows: each.map(([name, value]) => ({ name, also: { µs: value } })) })
      report.figure({ name: 'a request pays for its entry', value: each[0]![1], unit: 'CPU µs', atMost: 3 })
      const line = await lineAndMetrics()
      report.figure({ name: 'log line and metrics of a request', value: line, unit: 'CPU µs', atMost: 8 })
    } finally {
      await database.close()
    }
  })
