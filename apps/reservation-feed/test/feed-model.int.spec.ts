import fc from 'fast-check'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'
import { history } from './model/actions.js'
import { FeedRun } from './model/feed-run.js'

const RUNS = 30
/** Runs begun before this has passed are finished, ms. */
const TIME = 30_000

let feed: FeedInProcess
beforeAll(async () => {
  feed = await feedInProcess()
  feed.start()
})
afterAll(() => feed.end())

describe('the feed, whatever happens in whatever order', () => {
  it('is what a plain model says, for every partner that follows the algorithm, and again after a replay', async () => {
    let number = 0
    await fc.assert(
      fc.asyncProperty(history, (actions) => new FeedRun(feed, ++number).live(actions)),
      { numRuns: RUNS, interruptAfterTimeLimit: TIME, endOnFailure: true },
    )
  }, 120_000)
})
