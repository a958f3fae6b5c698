import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:tls'
import { randomUUID } from 'node:crypto'
import { as } from '@connectivity/service-kit/config'
import { createLogger } from '@connectivity/service-kit/logging'
import { Authority } from '@connectivity/testing/certificates'
import { eventually } from '@connectivity/testing/eventually'
import { Redis } from 'ioredis'
import { RedisBuckets } from './redis-buckets.client.js'

const REDIS_URL = new URL(process.env.REDIS_URL!)
const LIMIT = { per_minute: 1, burst: 20 }

/** A TLS listener in front of the Redis of the test. */
async function secured(authority: Authority): Promise<{ server: Server; url: string }> {
  const server = createServer(authority.issue('localhost'), (client) => {
    const redis = connect(Number(REDIS_URL.port), REDIS_URL.hostname)
    for (const socket of [client, redis]) socket.on('error', () => [client, redis].forEach((each) => each.destroy()))
    client.pipe(redis).pipe(client)
  })
  server.on('tlsClientError', () => undefined).listen(0)
  await once(server, 'listening')
  const url = new URL(REDIS_URL.href.replace(/^redis:/, 'rediss:'))
  url.host = `localhost:${(server.address() as AddressInfo).port}`
  return { server, url: url.href }
}

describe('Redis behind TLS', () => {
  const redis = new Redis(REDIS_URL.href)
  const [authority, stranger] = [new Authority(), new Authority()]
  const warnings: string[] = []
  const log = Object.assign(createLogger('test', 'silent'), {
    warn: ({ err }: { err: Error }) => void warnings.push(err.message),
  })
  /** Attempts to connect that ended during the TLS handshake. */
  let asked = 0
  let listener: Awaited<ReturnType<typeof secured>>
  const opened: RedisBuckets[] = []
  const bucketsTrusting = async (ca: string): Promise<RedisBuckets> => {
    const buckets = new RedisBuckets({ REDIS_URL: listener.url, REDIS_CA: as.authorities(ca) }, log)
    opened.push(buckets)
    await buckets.onModuleInit()
    return buckets
  }

  beforeAll(async () => {
    listener = await secured(authority)
    listener.server.on('tlsClientError', () => (asked += 1))
  })
  afterAll(async () => {
    await Promise.all(opened.map((buckets) => buckets.onApplicationShutdown()))
    await redis.quit()
    listener.server.close()
    for (const each of [authority, stranger]) each.remove()
  })

  it('counts calls for clients that trust its authority', async () => {
    const buckets = await bucketsTrusting(authority.certificate)
    const key = randomUUID()
    expect(await buckets.take(key, LIMIT, 1)).toMatchObject({ calls: 1 })
    expect(await redis.exists(key)).toBe(1)
  })

  it('is not used by clients that trust another authority', async () => {
    const buckets = await bucketsTrusting(stranger.certificate)
    await eventually(() => expect(asked).toBeGreaterThan(0))
    expect(await buckets.take(randomUUID(), LIMIT, 1)).toBeNull()
    expect(warnings).toEqual([expect.stringMatching(/unable to verify|self-signed certificate/)])
  })
})
