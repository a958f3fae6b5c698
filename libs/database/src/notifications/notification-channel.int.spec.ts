import { jest } from '@jest/globals'
import { createLogger, type Logger } from '@connectivity/service-kit/logging'
import { NetworkPath } from '@connectivity/toolkit/network-path'
import { createDatabase } from '@connectivity/testing/database'
import { eventually } from '@connectivity/testing/eventually'
import { Database } from '../database.js'
import { NotificationChannel } from './notification-channel.js'

/** Limit of a stop, even if the database does not answer, ms. */
const PROMPTLY = 1_000

describe('a notification channel', () => {
  let server: Awaited<ReturnType<typeof createDatabase>>
  let proxy: NetworkPath
  let database: Database
  let logger: Logger
  const heard: string[] = []

  beforeAll(async () => {
    server = await createDatabase()
    const through = await NetworkPath.before(server.url)
    proxy = through.path
    database = new Database({ url: through.url, applicationName: 'test', migrations: [] })
  })
  beforeEach(() => {
    logger = createLogger('test', 'silent')
    jest.spyOn(logger, 'warn')
  })
  afterEach(() => proxy.restore())
  afterAll(async () => {
    await database.close()
    proxy.close()
    await server.drop()
  })

  const open = () => new NotificationChannel(database, 'test_channel', logger, (payload) => void heard.push(payload))

  async function expectPromptStop(channel: NotificationChannel): Promise<void> {
    const from = performance.now()
    await channel.stop()
    expect(performance.now() - from).toBeLessThan(PROMPTLY)
    expect(channel.currentEra()).toBeNull()
  }

  it('receives what others send, and begins a new era with each connection', async () => {
    const channel = open()
    channel.start()
    await eventually(() => expect(channel.currentEra()).toBe(1))
    await database.query(`NOTIFY test_channel, 'one'`)
    await eventually(() => expect(heard).toEqual(['one']))
    proxy.cut()
    await eventually(() => expect(channel.currentEra()).toBeNull())
    proxy.restore()
    await eventually(() => expect(channel.currentEra()).toBe(2))
    await expectPromptStop(channel)
  })

  it('knows until when it has missed nothing, of its current or last era only', async () => {
    const channel = open()
    channel.start()
    await eventually(() => expect(channel.currentEra()).toBe(1))
    const first = channel.provenAt(1)
    expect(first).toBeGreaterThan(performance.now() - 5_000)
    await eventually(() => expect(channel.provenAt(1)).toBeGreaterThan(first))
    const last = channel.provenAt(1)
    proxy.cut()
    await eventually(() => expect(channel.currentEra()).toBeNull())
    expect(channel.provenAt(1)).toBe(last)
    proxy.restore()
    await eventually(() => expect(channel.currentEra()).toBe(2))
    expect([channel.provenAt(1), channel.provenAt(2) > last]).toEqual([0, true])
    await expectPromptStop(channel)
  })

  it('stops at once while it connects to a database that does not answer', async () => {
    proxy.stall()
    const channel = open()
    channel.start()
    await expectPromptStop(channel)
    expect(logger.warn).not.toHaveBeenCalled()
  })

  it('stops at once while its LISTEN is not answered', async () => {
    const session = await database.session()
    const query = jest.spyOn(session, 'query').mockReturnValue(new Promise(() => undefined) as never)
    jest.spyOn(database, 'session').mockResolvedValueOnce(session)
    const channel = open()
    channel.start()
    await eventually(() => expect(query).toHaveBeenCalledWith('LISTEN test_channel'))
    await expectPromptStop(channel)
    expect(logger.warn).not.toHaveBeenCalled()
  })

  it('stops at once while its database is unavailable', async () => {
    proxy.cut()
    const channel = open()
    channel.start()
    await eventually(() => expect(logger.warn).toHaveBeenCalled())
    const before = jest.mocked(logger.warn).mock.calls.length
    await expectPromptStop(channel)
    expect(logger.warn).toHaveBeenCalledTimes(before)
  })
})
