// Options of `npm test`.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Refusal } from '../../deploy/local/bootstrap/machine/refusal.mjs'

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

/** The largest seed that Jest takes. */
const LARGEST_SEED = 2 ** 31 - 1

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

function numberOf(name: string, text: string, largest: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= largest) return number
  throw new Refusal(`--${name} takes a whole number up to ${largest}, not ${text}.`)
}

/**
 * @param args arguments after `npm test --`
 * @returns null after printing help
 * @throws Refusal that names the option that cannot be used
 */
export function optionsOf(args: string[]): Options | null {
  const flag = { type: 'boolean', default: false } as const
  const text = { type: 'string' } as const
  const { values, positionals } = parse({
    args,
    allowPositionals: true,
    options: {
      seed: text,
      repeat: text,
      title: { type: 'string', short: 't' },
      unit: flag,
      busy: flag,
      clean: flag,
      reverse: flag,
      help: { ...flag, short: 'h' },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return null
  }
  const { unit, busy, clean, reverse, title } = values
  return {
    suites: positionals,
    seed: values.seed === undefined ? randomInt(LARGEST_SEED) : numberOf('seed', values.seed, LARGEST_SEED),
    ...(values.repeat !== undefined && { repeat: numberOf('repeat', values.repeat, 1_000) }),
    ...(title !== undefined && { title }),
    ...{ unit, busy, clean, reverse },
  }
}

/** Like `parseArgs`, with errors for users. */
function parse<T extends Parameters<typeof parseArgs>[0]>(config: T): ReturnType<typeof parseArgs<NonNullable<T>>> {
  try {
    return parseArgs(config as NonNullable<T>)
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n\n${HELP}`)
  }
}
