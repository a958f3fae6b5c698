import { RestingTurns } from './resting-turns.js'

/** Time that a piece of the test's work takes, ms. */
const PIECE = 10
/** A timer may fire 1 ms early. */
const EARLY = 2

const work = (): void => {
  for (const end = performance.now() + PIECE; performance.now() < end;);
}

describe('turns with rests', () => {
  /** Names and times at which their work begins, ms from the first one. */
  const beginningsOf = async (own: number, ...names: string[]) => {
    const turns = new RestingTurns({ own, all: 1 })
    const begun: { name: string; at: number }[] = []
    const piece = (name: string) => () => {
      begun.push({ name, at: performance.now() })
      work()
    }
    await Promise.all(names.map((name) => turns.run(name, piece(name))))
    return begun.map(({ name, at }) => ({ name, at: at - begun[0]!.at }))
  }

  it('are given to one name after the other, with a rest after each', async () => {
    const begun = await beginningsOf(40, 'a', 'a', 'b', 'c')
    expect(begun.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'a'])
    expect(begun[2]!.at).toBeGreaterThanOrEqual(2 * 2 * PIECE - EARLY)
  })

  it('are given to the same name after its own rest', async () => {
    const begun = await beginningsOf(4, 'a', 'a', 'a')
    expect(begun[2]!.at).toBeGreaterThanOrEqual(2 * 5 * PIECE - EARLY)
  })

  it('go on after work that fails, and count the waiting work of a name', async () => {
    const turns = new RestingTurns({ own: 0, all: 0 })
    const failing = turns.run('a', () => {
      throw new Error('failed')
    })
    const all = [turns.run('a', () => 1), turns.run('a', () => 2), turns.run('b', () => 3)]
    expect([turns.waiting('a'), turns.waiting('b'), turns.waiting('c')]).toEqual([2, 1, 0])
    await expect(failing).rejects.toThrow('failed')
    expect(await Promise.all(all)).toEqual([1, 2, 3])
  })
})
