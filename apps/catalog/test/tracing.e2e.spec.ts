import { migrate } from '@connectivity/database/migrate'
import { suiteBroker, suiteKafka } from '@connectivity/kafka/test/suite-kafka'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { eventually } from '@connectivity/testing/eventually'
import { freePort } from '@connectivity/testing/free-port'
import { ServiceProcess } from '@connectivity/testing/service-process'
import { TraceCollector } from '@connectivity/testing/trace-collector'
import { migrations } from '../src/migrations/migrations.js'
import { identityKey } from './catalog-calls.js'

/** Records which OpenTelemetry modules are loaded, except its API, which prom-client loads anyway. */
const LOADS = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const note = (loaded) => process.stderr.write(JSON.stringify({ level: 20, loaded }) + '\\n')
  const load = (url, context, next) => (/@opentelemetry\\/(?!api\\/)/.test(url) && note(url), next(url, context))
  registerHooks({ load })`)}`
/** Limit of a stop, ms. */
const STOP_GRACE = 10_000
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const UNRECORDED = 'a'.repeat(32)
const SPAN = '00f067aa0ba902b7'

let database: TestDatabase
let collector: TraceCollector
let service: ServiceProcess
beforeAll(async () => {
  database = await createDatabase()
  await migrate({ url: database.url, applicationName: 'test', migrations })
  await suiteKafka()
})
afterAll(() => database.drop())
beforeEach(async () => void (collector = await new TraceCollector().start()))
afterEach(async () => {
  await service.stop()
  collector.stop()
})

async function start(env: Record<string, string> = {}): Promise<void> {
  service = new ServiceProcess(
    'catalog',
    await freePort(),
    {
      DATABASE_URL: database.url,
      KAFKA_BROKERS: suiteBroker.brokers.join(','),
      INSTANCE_NAME: 'catalog-0',
      IDENTITY_KEY: identityKey.toString('base64'),
      ...env,
    },
    [LOADS],
  )
  await service.start()
}

const ask = async (traceparent = `00-${TRACE}-${SPAN}-01`): Promise<number> =>
  (await fetch(`${service.url}/nothing?secret=hunter2`, { headers: { traceparent } })).status

/** @returns how long the stop took, ms */
async function stop(): Promise<number> {
  const from = performance.now()
  await service.stop()
  return performance.now() - from
}

const complaints = () => service.log.split('\n').filter((line) => line.includes('traces could not be exported'))
const loaded = () => service.log.split('\n').filter((line) => line.startsWith('{"level":20,"loaded"'))

describe('a service without a collector', () => {
  it('loads no tracing modules', async () => {
    await start()
    expect(await ask()).toBe(401)
    await stop()
    expect(service.exitCode).toBe(0)
    expect(loaded()).toEqual([])
  })
})

describe('a service with a collector', () => {
  it('exports spans only of traces that its caller records, and the last ones when it stops', async () => {
    await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'x-scope=a%20b' })
    expect(loaded()).not.toEqual([])
    expect(await ask()).toBe(401)
    await ask(`00-${UNRECORDED}-${SPAN}-00`)
    expect(await stop()).toBeLessThan(STOP_GRACE)
    expect(service.exitCode).toBe(0)
    expect(collector.trace(UNRECORDED)).toEqual([])
    expect(collector.trace(TRACE)).toEqual([
      {
        service: 'catalog',
        name: 'GET none',
        kind: 'server',
        traceId: TRACE,
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
        parent: SPAN,
        links: [],
        beganAt: expect.any(Number),
        endedAt: expect.any(Number),
        attributes: {
          'http.request.method': 'GET',
          'http.route': 'none',
          'http.response.status_code': 401,
          'error.type': 'invalid_token',
          'connectivity.correlation_id': expect.any(String),
        },
        failed: false,
      },
    ])
    expect(collector.text).toContain('"catalog-0"')
    expect(collector.text).not.toMatch(/hunter2|health/)
    expect(collector.headers['x-scope']).toBe('a b')
  })

  it('serves while the collector is unavailable, and logs one line', async () => {
    const { endpoint } = collector
    collector.stop()
    await start({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '300' })
    const answers = () => Promise.all(Array.from({ length: 100 }, () => ask()))
    expect(new Set(await answers())).toEqual(new Set([401]))
    await eventually(() => expect(complaints()).toHaveLength(1))
    // A hundred spans do not fill a batch: the later ones are lost when the service stops.
    expect(new Set(await answers())).toEqual(new Set([401]))
    expect(await stop()).toBeLessThan(STOP_GRACE)
    expect(service.exitCode).toBe(0)
    expect(complaints()).toHaveLength(1)
  })

  it('stops in time when the collector hangs', async () => {
    collector.isStuck = true
    await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
    await ask()
    expect(await stop()).toBeLessThan(STOP_GRACE)
    expect(service.exitCode).toBe(0)
  })
})
