import { jest } from '@jest/globals'
import { WriterPlaces } from './writer-places.service.js'

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Calls that take a place each and keep it until the test ends them. */
function holders(places: WriterPlaces) {
  const begun: string[] = []
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const hold = (application: string, deadline = Infinity) =>
    places.take(application, Math.min(deadline, Date.now() + 60_000), async () => {
      begun.push(application)
      await ended
    })
  return { begun, hold, end }
}

describe('places of calls that may hold a database connection', () => {
  it('are at most three per application and four in all', async () => {
    const { begun, hold, end } = holders(new WriterPlaces())
    const done = ['a', 'a', 'a', 'a', 'b', 'c', 'd', 'e'].map((application) => hold(application))
    await settled()
    expect(begun).toEqual(['a', 'a', 'a', 'b'])
    end()
    await Promise.all(done)
    expect(begun.slice(4).toSorted()).toEqual(['a', 'c', 'd', 'e'])
  })

  it('are refused to a call that gets none before its deadline', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] })
    try {
      const { begun, hold, end } = holders(new WriterPlaces())
      const done = upTo(3).map(() => hold('a'))
      const late = expect(hold('a', Date.now() + 1_000)).rejects.toMatchObject({
        code: 'service_unavailable',
        message: 'Other updates are being applied; send this one again with the same Idempotency-Key.',
      })
      await jest.advanceTimersByTimeAsync(1_000)
      await late
      expect(begun).toHaveLength(3)
      end()
      await Promise.all(done)
    } finally {
      jest.useRealTimers()
    }
  })
})

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
