// All attackers that try to deny the service to others.
import type { Target } from '../target.ts'
import { greedyNeighbour } from './greedy-neighbour.ts'
import { interimAnswers } from './interim-answers.ts'
import { slowReaders } from './slow-readers.ts'
import { pipelinedRefusals, tokenBodies, unfinishedBodies } from './strangers.ts'
import { wrongBodies } from './wrong-bodies.ts'

export interface Attacker {
  name: string
  about: string
  /** Attacks until the process is killed. */
  attack: (target: Target) => void | Promise<void>
}

export const attackers: readonly Attacker[] = [
  { name: 'wrong-bodies', about: 'a partner sends bodies of 1 MiB full of faults', attack: wrongBodies },
  { name: 'slow-readers', about: 'three applications read pages of megabytes at 5 KiB/s', attack: slowReaders },
  { name: 'unfinished-bodies', about: 'strangers hold 400 bodies of 1 MiB open', attack: unfinishedBodies },
  { name: 'token-bodies', about: 'strangers ask for tokens with bodies of 1 MiB', attack: tokenBodies },
  { name: 'pipelined-refusals', about: 'strangers pipeline requests that are refused', attack: pipelinedRefusals },
  { name: 'interim-answers', about: 'a callback receiver floods interim answers', attack: interimAnswers },
  {
    name: 'greedy-neighbour',
    about: 'a connection writes a year to a shared hotel, 20 calls at once',
    attack: greedyNeighbour,
  },
]
