// Options of `npm test`.
import { numberOf, optionsOf as read, seedOf } from '../../deploy/local/machine/options.ts'

const HELP = `npm test                         lint, types, build, every suite in random order, and 2 minutes of faults
npm test -- apps/catalog         the suites of a part, or one suite
npm test -- --seed 42            the suites in the order of that seed, the same every time
npm test -- --seed 42 --reverse  the same order from its end
npm test -- -t "a title"         the tests whose title matches
npm run test:unit                every suite that needs no server
npm run test:repeat -- 10        npm test ten times, each in another order, and the tests that were not green every time
  --busy                         beside a program that takes one core
  --clean                        each in a fresh clone of HEAD, with empty caches of npm, Maven and Nx
`

/** Options of a run, or of a series of runs. */
export interface Options {
  /** Patterns of suites' paths; empty: all. */
  suites: string[]
  seed: number
  reverse: boolean
  /** Only suites that need no server. */
  unit: boolean
  /** Pattern of the titles of tests. */
  title?: string
  /** Number of runs of `test:repeat`. */
  repeat?: number
  busy: boolean
  clean: boolean
}

const flag = { type: 'boolean', default: false } as const
const text = { type: 'string' } as const
const options = {
  seed: text,
  repeat: text,
  title: { ...text, short: 't' },
  unit: flag,
  busy: flag,
  clean: flag,
  reverse: flag,
} as const

/**
 * @param args arguments after `npm test --`
 * @returns null after printing help
 * @throws Refusal that names the option that cannot be used
 */
export function optionsOf(args: string[]): Options | null {
  const values = read(options, HELP, { args, allowPositionals: true })
  if (!values) return null
  const { positionals: suites, seed, repeat, title, unit, busy, clean, reverse } = values
  return {
    suites,
    seed: seedOf(seed),
    ...(repeat !== undefined && { repeat: numberOf('repeat', repeat, 1_000) }),
    ...(title !== undefined && { title }),
    ...{ unit, busy, clean, reverse },
  }
}
