import { jest } from '@jest/globals'
import type { HttpAdapterHost } from '@nestjs/core'
import { Database } from '@connectivity/database'
import type { WatchedLog } from '@connectivity/kafka/topics'
import { ChangeStream } from '@connectivity/service-kit/http'
import { createLogger } from '@connectivity/service-kit/logging'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { eventually } from '@connectivity/testing/eventually'
import { FeedChanges } from './feed-changes.service.js'

/** Longest time without proof that every notification has arrived, ms. */
const PROOF = 2_500

const appliedToTheEnd = { lagMilliseconds: () => 0 } as WatchedLog

describe('the stream of changes of the feeds', () => {
  let server: TestDatabase
  let database: Database
  let changes: FeedChanges
  let isCurrent: () => boolean
  beforeAll(async () => {
    server = await createDatabase()
    database = new Database({ url: server.url, applicationName: 'test', migrations: [] })
    const stream = new ChangeStream({} as HttpAdapterHost)
    const currentWhile = jest.spyOn(stream, 'currentWhile')
    changes = new FeedChanges(stream, appliedToTheEnd, database, createLogger('test', 'silent'))
    isCurrent = currentWhile.mock.calls[0]![0]
    changes.onApplicationBootstrap()
  })
  afterAll(async () => {
    await changes.onModuleDestroy()
    await database.close()
    await server.drop()
  })
  afterEach(() => void jest.restoreAllMocks())

  it('is not current without proof from the last 2.5 seconds that every notification has arrived', async () => {
    await eventually(() => expect(isCurrent()).toBe(true))
    // The session still listens, but can prove nothing before the next line.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + PROOF + 1)
    expect(isCurrent()).toBe(false)
    jest.restoreAllMocks()
    await eventually(() => expect(isCurrent()).toBe(true))
  })
})
