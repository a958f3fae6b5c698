import fc from 'fast-check'
import { advance, type AnsweredPoll, mayAdvance, type Progress, undecided } from './progress.js'

const NOW = 1_000_000
const page = (implied: number, last: number, from = implied): AnsweredPoll => ({ from, implied, last, at: NOW })
const empty = (implied: number, from = implied): AnsweredPoll => ({ from, implied, last: null, at: NOW })
const after = (...polls: AnsweredPoll[]): Progress =>
  polls.reduce<Progress | null>((progress, poll) => advance(progress, poll), null)!

describe('the progress of a partner', () => {
  it.each<[string, AnsweredPoll[], { servedTo: number; processedTo: number }]>([
    ['is the epoch after a first page without a bound', [page(0, 100)], { servedTo: 100, processedTo: 0 }],
    ['is the epoch after an empty feed', [empty(0)], { servedTo: 0, processedTo: 0 }],
    ['follows the poll after a page', [page(0, 100), page(100, 100)], { servedTo: 100, processedTo: 100 }],
    ['follows a poll from the checkpoint + 1 ms', [page(0, 100), empty(101)], { servedTo: 100, processedTo: 100 }],
    ['follows a cursor', [page(0, 100), page(100, 150, 101)], { servedTo: 150, processedTo: 100 }],
    ['takes an old checkpoint of a first poll', [page(60, 100)], { servedTo: 100, processedTo: 60 }],
    ['takes a bound between two stamps unchanged', [page(0, 100), page(70, 100)], { servedTo: 100, processedTo: 70 }],
    ['does not follow a clock', [page(0, 100), empty(NOW)], { servedTo: 100, processedTo: 0 }],
    ['does not follow a clock on an empty feed', [empty(NOW)], { servedTo: 0, processedTo: 0 }],
    [
      'does not fall with a new full pull',
      [page(0, 100), empty(101), page(0, 100)],
      { servedTo: 100, processedTo: 100 },
    ],
  ])('%s', (_name, polls, expected) => expect(after(...polls)).toMatchObject(expected))

  it('has the time of the poll that raised it last', () => {
    const first = { ...page(0, 100), at: 1 }
    expect(after(first).processedAt).toBe(1)
    expect(after(first, { ...empty(101), at: 2 }, { ...empty(101), at: 3 }).processedAt).toBe(2)
  })

  const bound = fc.integer({ min: 0, max: 40 })
  const poll: fc.Arbitrary<AnsweredPoll> = fc
    .record({ from: bound, isCursor: fc.boolean(), rows: fc.option(bound), at: fc.nat() })
    .map(({ from, isCursor, rows, at }) => ({
      from,
      implied: isCursor ? Math.max(0, from - 1) : from,
      last: rows === null ? null : from + rows,
      at,
    }))

  it('never falls, and never passes what was served', () => {
    fc.assert(
      fc.property(fc.array(poll), (polls) => {
        let before: Progress | null = null
        for (const each of polls) {
          const next = advance(before, each)
          expect(next.processedTo).toBeGreaterThanOrEqual(before?.processedTo ?? 0)
          expect(next.processedTo).toBeLessThanOrEqual(next.servedTo)
          before = next
        }
      }),
    )
  })

  it('is the same without polls that cannot change it, also judged by an older progress', () => {
    fc.assert(
      fc.property(fc.array(poll, { minLength: 1 }), fc.nat(), (polls, turn) => {
        const known = after(...polls.slice(0, 1 + (turn % polls.length)))
        const rest = polls.slice(1 + (turn % polls.length))
        const noted = rest.filter((each) => mayAdvance(known, each))
        const all = rest.reduce(advance, known)
        expect(noted.reduce(advance, known)).toMatchObject({ servedTo: all.servedTo, processedTo: all.processedTo })
      }),
    )
  })
})

describe('polls that follow a page of another process', () => {
  it('count once the page is known', () => {
    const polls = [empty(101)]
    const before = polls.reduce<Progress | null>(advance, null)!
    expect(before.processedTo).toBe(0)
    expect(undecided(before, polls)).toEqual(polls)
    const served = advance(before, page(0, 100))
    expect(undecided(served, polls)).toEqual([])
    expect(polls.reduce(advance, served).processedTo).toBe(100)
  })
})
