import { PiecewiseWork } from './piecewise-work.js'

/** Work on stored pieces, each named by its request; `failures` are thrown before the first piece is done. */
function started(stored: string[], failures: Error[] = []) {
  const done: string[] = []
  const failed: unknown[] = []
  const work = new PiecewiseWork({
    doNext: async () => {
      const failure = failures.shift()
      if (failure) throw failure
      const piece = stored.shift()
      if (piece !== undefined) done.push(piece)
      return piece !== undefined
    },
    areLeft: async (requestId) => (requestId === null ? stored.length > 0 : stored.includes(requestId)),
    pause: 10,
    failed: (error) => failed.push(error),
  })
  work.start()
  return { work, done, failed, stored }
}

describe('piecewise work', () => {
  it('does all stored pieces, and lets an answer wait for those of its request', async () => {
    const { work, done } = started(['a', 'b', 'a'])
    await work.settle('a')
    expect(done).toEqual(['a', 'b', 'a'])
    await work.stop()
  })

  it('begins at once when it is woken', async () => {
    const { work, done, stored } = started([])
    await work.settle('a')
    stored.push('a')
    const wokenAt = performance.now()
    work.wake()
    await work.settle('a')
    expect(done).toEqual(['a'])
    expect(performance.now() - wokenAt).toBeLessThan(900)
    await work.stop()
  })

  it('tries a failed piece again', async () => {
    const failure = new Error('the connection was lost')
    const { work, done, failed } = started(['a'], [failure])
    await work.settle('a')
    expect({ done, failed }).toEqual({ done: ['a'], failed: [failure] })
    await work.stop()
  })
})
