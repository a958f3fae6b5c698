// The order in which suites run: random, and the same again for the same seed.
import sequencer, { type TestSequencerOptions } from '@jest/test-sequencer'
import type { Test } from '@jest/test-result'
import { shuffled } from './shuffle.ts'

/** The package's types describe its CommonJS build, whose default export Node.js unwraps. */
const TestSequencer = sequencer as unknown as typeof sequencer.default

/** Ends of suites' names, the kinds with the longest suites first. */
const LONGEST_FIRST = ['.e2e.spec.ts', '.int.spec.ts', '.spec.ts']

const rankOf = ({ path }: Test): number => LONGEST_FIRST.findIndex((end) => path.endsWith(end))

/**
 * Shuffles the suites of each kind by Jest's seed; SUITES_REVERSED=true turns that order around. Short kinds run last,
 * because a worker with a long last suite would keep the run waiting.
 */
export default class SuiteOrder extends TestSequencer {
  private readonly seed: number

  constructor(options: TestSequencerOptions) {
    super(options)
    this.seed = options.globalConfig.seed
  }

  override sort(tests: Test[]): Test[] {
    // File systems list folders in different orders; the seed alone must decide.
    const inOrder = tests.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    const order = shuffled(inOrder, this.seed)
    if (process.env.SUITES_REVERSED === 'true') order.reverse()
    return order.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
