// Options of `npm run fuzz`.
import { numberOf, optionsOf as read, seedOf } from '../../deploy/local/machine/options.ts'
import { FULL_RUN } from './model/judgement.ts'

const HELP = `npm run fuzz                              ${FULL_RUN} requests and messages, most of them distorted, against a stack of its own
npm run fuzz -- --inputs 5000             fewer of them
npm run fuzz -- --seed 42                 the same ones every time
npm run fuzz -- --only "post /ari"        requests to one operation, no messages

It fails when
- an answer is a 5xx, or is not described in docs/openapi.json
- a process ends, or a service stops reading a topic
- one input costs a process more than 50 ms of CPU time (the best of five tries)
- a service's memory grows by more than 64 MiB after the warm-up
- an operation succeeds fewer than 100 times in ${FULL_RUN} inputs, in proportion in a shorter run
The report names the slowest inputs and the growth of every process. CPU time and memory are read from /proc: Linux only.
`

const LARGEST_RUN = 10_000_000

export interface Options {
  inputs: number
  seed: number
  /** Name of the only operation, for example `post /ari`. */
  only?: string
}

const text = { type: 'string' } as const

/**
 * @param args arguments after `npm run fuzz --`
 * @returns null after printing help
 * @throws Refusal that names the option that cannot be used
 */
export function optionsOf(args: string[]): Options | null {
  const values = read({ inputs: text, seed: text, only: text }, HELP, { args })
  if (!values) return null
  const { inputs, seed, only } = values
  return {
    inputs: inputs === undefined ? FULL_RUN : numberOf('inputs', inputs, LARGEST_RUN),
    seed: seedOf(seed),
    ...(only !== undefined && { only }),
  }
}
