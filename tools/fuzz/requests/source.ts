// Draws the inputs of one operation on one lane, and shrinks one that failed.
import fc from 'fast-check'
import type { Target } from '../model/description.ts'
import type { Lane } from '../stack/lane.ts'
import type { Input } from '../model/request.ts'

/** Inputs drawn at once: all of a long run would not fit into memory. */
const BLOCK = 16
const SHRINK_WITHIN = 20_000
/** Keeps the seeds of blocks apart. */
const SEED_STEP = 7919

/** An input with its source, seed and index, which reproduce it. */
export interface Drawn {
  lane: Lane
  target: Target
  input: Input
  source: InputSource
  seed: number
  index: number
}

export class InputSource {
  private readonly lane: Lane
  private readonly target: Target
  private readonly inputs: fc.Arbitrary<Input>
  private seed: number
  private block: Input[] = []
  private index = BLOCK

  /** @param seed of the first block, an integer */
  constructor(lane: Lane, target: Target, inputs: fc.Arbitrary<Input>, seed: number) {
    this.lane = lane
    this.target = target
    this.inputs = inputs
    this.seed = seed | 0
  }

  next(): Drawn {
    if (this.index === BLOCK) {
      this.seed = (this.seed + SEED_STEP) | 0
      this.block = fc.sample(this.inputs, { seed: this.seed, numRuns: BLOCK })
      this.index = 0
    }
    const { lane, target, seed, index } = this
    this.index += 1
    return { lane, target, input: this.block[index]!, source: this, seed, index }
  }

  /**
   * Finds the smallest input like the drawn one that fails.
   * @param faultsOf sends an input and returns the faults of its answer
   * @returns null when the input does not fail again
   */
  async shrunk(
    { seed, index }: Pick<Drawn, 'seed' | 'index'>,
    faultsOf: (input: Input) => Promise<string[]>,
  ): Promise<{ input: Input; faults: string[] } | null> {
    let faults: string[] = []
    const property = fc.asyncProperty(this.inputs, async (input) => {
      const found = await faultsOf(input)
      if (found.length > 0) faults = found
      return found.length === 0
    })
    const options = { seed, path: String(index), numRuns: 1, interruptAfterTimeLimit: SHRINK_WITHIN }
    const { counterexample } = await fc.check(property, options)
    return counterexample === null ? null : { input: counterexample[0], faults }
  }
}
