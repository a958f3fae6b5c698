import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { logEntry } from '../../test/log-entry.js'
import { migrations } from '../migrations/migrations.js'
import { RequestLogStore } from './request-log.store.js'

const ENTRIES = 1000
const ROUNDS = 20

describe('the request log of two gateways', () => {
  let test: TestDatabase
  let gateways: Database[]
  let stores: RequestLogStore[]

  beforeAll(async () => {
    test = await createDatabase()
    const options = { url: test.url, applicationName: 'test', migrations }
    await migrate(options)
    gateways = [new Database(options), new Database(options)]
    stores = gateways.map((gateway) => new RequestLogStore(gateway, { REQUEST_LOG_DAYS: 14 }))
    await stores[0]!.maintain()
  })

  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()))
    await test.drop()
  })

  it('folds the same polls, whatever their order, without waiting for each other in a circle', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const at = Date.now()
      const entries = Array.from({ length: ENTRIES }, (_, index) => logEntry(`poll ${round} ${index}`, { at }))
      await Promise.all([stores[0]!.write(entries), stores[1]!.write(entries.toReversed())])
    }
    const [folded] = await test.query(
      'SELECT count(*)::integer AS entries, sum(repeated)::integer AS polls FROM logged_request',
    )
    expect(folded).toEqual({ entries: ROUNDS * ENTRIES, polls: 2 * ROUNDS * ENTRIES })
  })
})
