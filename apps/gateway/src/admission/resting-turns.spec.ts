import { RestingTurns } from './resting-turns.js'

/** Time that a piece of the test's work takes, ms. */
const PIECE = 10

const work = (): void => {
  for (const end = performance.now() + PIECE; performance.now() < end;);
}

describe('turns with rests', () => {
  /** Names and times at which their work begins, ms from the first one. */
  const beginningsOf = async (...names: string[]) => {
    const turns = new RestingTurns({ own: 4, all: 1 })
    const begun: { name: string; at: number }[] = []
    await Promise.all(
      names.map(async (name) => {
        await turns.take(name)
        begun.push({ name, at: performance.now() })
        work()
      }),
    )
    return begun.map(({ name, at }) => ({ name, at: at - begun[0]!.at }))
  }

  it('are given to one name after the other, with a rest after each', async () => {
    const begun = await beginningsOf('a', 'a', 'b', 'c')
    expect(begun.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'a'])
    expect(begun[2]!.at).toBeGreaterThanOrEqual(2 * 2 * PIECE)
  })

  it('are given to the same name after its own rest', async () => {
    const begun = await beginningsOf('a', 'a', 'a')
    expect(begun[2]!.at).toBeGreaterThanOrEqual(2 * 5 * PIECE)
  })

  it('know how much work of a name waits', async () => {
    const turns = new RestingTurns({ own: 0, all: 0 })
    const all = [turns.take('a'), turns.take('a'), turns.take('b')]
    expect([turns.waiting('a'), turns.waiting('b'), turns.waiting('c')]).toEqual([1, 1, 0])
    await Promise.all(all)
  })
})
