import fc from 'fast-check'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'
import { type Action, history } from './model/actions.js'
import { FeedRun } from './model/feed-run.js'

const RUNS = 30
/** Time in which new runs may begin, ms; runs in progress are finished. */
const TIME = 30_000

let feed: FeedInProcess
beforeAll(async () => {
  feed = await feedInProcess()
  feed.start()
})
afterAll(() => feed.end())

describe('the feed after any events in any order', () => {
  it('matches a plain model, for every partner that follows the algorithm, and again after a replay', async () => {
    let number = 0
    const end = Date.now() + TIME
    const live = async (actions: Action[]) => {
      // fast-check's own limit would abandon the run in progress.
      if (Date.now() < end) await new FeedRun(feed, ++number).live(actions)
    }
    await fc.assert(fc.asyncProperty(history, live), { numRuns: RUNS, endOnFailure: true })
    expect(number).toBeGreaterThan(0)
  })
})
