import { Rounds } from './rounds.js'

const FOREVER = 1_000_000
const noTrouble = (error: unknown): number => {
  throw error
}

/** Rounds that tell when they have begun. */
function subject(rests: readonly number[], troubled: (error: unknown) => number = noTrouble) {
  let done = 0
  let waiting: { count: number; resolve: () => void } | undefined
  const rounds = new Rounds(async () => {
    done += 1
    if (waiting && done >= waiting.count) waiting.resolve()
    const rest = rests[done - 1] ?? FOREVER
    if (rest < 0) throw new Error(`trouble in round ${done}`)
    return rest
  }, troubled)
  const reached = (count: number) =>
    done >= count ? Promise.resolve() : new Promise<void>((resolve) => (waiting = { count, resolve }))
  return { rounds, reached, count: () => done }
}

describe('rounds', () => {
  it('follow each other after the rest that each asks for, until they are stopped', async () => {
    const { rounds, reached, count } = subject([0, 5, 0])
    rounds.start()
    await reached(4)
    await rounds.stop()
    expect([count(), rounds.isStopping]).toEqual([4, true])
  })

  it('end a rest early for a nudge, and leave out the one after a round that was nudged meanwhile', async () => {
    const { rounds, reached } = subject([])
    rounds.start()
    await reached(1)
    // During the first round: its rest has not begun.
    rounds.nudge()
    await reached(2)
    await new Promise(setImmediate)
    rounds.nudge()
    await reached(3)
    await rounds.stop()
  })

  it('go on after trouble', async () => {
    const told: string[] = []
    const { rounds, reached } = subject([-1, -1], (error) => told.push((error as Error).message) && 1)
    rounds.start()
    await reached(3)
    await rounds.stop()
    expect(told).toEqual(['trouble in round 1', 'trouble in round 2'])
  })
})
