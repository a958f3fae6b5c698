import { catalog } from '@connectivity/testing/catalog'
import { RiskRoundStore } from '../src/delivery-status/risk-round.store.js'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'

let feed: FeedInProcess
let rounds: RiskRoundStore
beforeAll(async () => {
  feed = await feedInProcess()
  rounds = new RiskRoundStore(feed.database)
})
afterAll(() => feed.end())

/** Results of five processes that do the same at the same time. */
const ofFive = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 5 }, work))

describe('a round of the check for reservations at risk', () => {
  it('is begun by one process', async () => {
    expect((await ofFive(() => rounds.begin(60))).filter(Boolean)).toHaveLength(1)
  })

  it('lets one of the processes that have seen a change report it', async () => {
    await feed.connect({ state: 'production' })
    await feed.takeCatalogs(catalog())
    await feed.book([{}])
    await feed.database.query(
      `INSERT INTO feed_progress (connection_id, served_to, processed_to) VALUES ('con_1', 0, 0)`,
    )
    await feed.database.query('UPDATE feed_row SET stamp = stamp - 1000')
    const [candidate] = await rounds.candidates(0)
    const report = () => feed.database.transaction((tx) => rounds.change(tx, candidate!, 1))
    expect((await ofFive(report)).filter(Boolean)).toHaveLength(1)
  })
})
