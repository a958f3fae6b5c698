// All attackers that try to deny the service to others.
import type { Target } from '../target.ts'
import { greedyNeighbour } from './greedy-neighbour.ts'
import { interimAnswers } from './interim-answers.ts'
import { refusedBodies } from './refused-bodies.ts'
import { slowReaders } from './slow-readers.ts'
import { pipelinedRefusals, tokenBodies, unfinishedBodies } from './strangers.ts'
import { wrongBodies } from './wrong-bodies.ts'

export interface Attacker {
  name: string
  about: string
  /** Number of applications of its own; each has one connection. */
  applications: number
  /** Attacks until the process is killed. */
  attack: (target: Target) => void | Promise<void>
}

const attacker = (name: string, about: string, applications: number, attack: Attacker['attack']): Attacker => ({
  name,
  about,
  applications,
  attack,
})

export const attackers: readonly Attacker[] = [
  attacker('wrong-bodies', 'a partner sends bodies of 1 MiB full of faults', 1, wrongBodies),
  attacker('refused-bodies', 'a partner over its limit reconnects for each refusal', 1, refusedBodies),
  attacker('slow-readers', 'three applications read pages of megabytes at 5 KiB/s', 3, slowReaders),
  attacker('unfinished-bodies', 'strangers hold 400 bodies of 1 MiB open', 0, unfinishedBodies),
  attacker('token-bodies', 'strangers ask for tokens with bodies of 1 MiB', 0, tokenBodies),
  attacker('pipelined-refusals', 'strangers pipeline requests that are refused', 0, pipelinedRefusals),
  attacker('interim-answers', 'a callback receiver floods interim answers', 3, interimAnswers),
  attacker('greedy-neighbour', 'a connection writes a year to a shared hotel, 20 calls at once', 1, greedyNeighbour),
]
