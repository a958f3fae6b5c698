// Kills services with all their processes, singly and in pairs; the supervisor restarts them after a second.
import { setTimeout as sleep } from 'node:timers/promises'
import { services } from '../../../deploy/local/services/names.ts'
import type { FaultStack } from '../stack/fault-stack.ts'
import type { Fault } from './fault.ts'

const names = services.map(({ name }) => name)

const killAll = async (stack: FaultStack, ...killed: string[]): Promise<void> => {
  stack.kill(...killed.flatMap((name) => stack.processes[name]!))
  await sleep(100)
}

const PAIRS: string[][] = [
  ['reservation-feed', 'event-dispatch'],
  ['gateway', 'ari'],
  ['catalog', 'reservation-feed'],
  ['gateway', 'event-dispatch'],
]
const SHORT = ['reservation-feed', 'event-dispatch']

const killed = (name: string): Fault => ({
  name: `kill-${name}`,
  about: `kill -9 of both processes of ${name} at once`,
  losesNotifications: true,
  inject: ({ stack }) => killAll(stack, name),
})

const killedTogether = (pair: string[]): Fault => ({
  name: `kill-${pair.join('-and-')}`,
  about: `kill -9 of ${pair.join(' and ')} at once, all four processes`,
  isShort: String(pair) === String(SHORT),
  losesNotifications: true,
  inject: ({ stack }) => killAll(stack, ...pair),
})

/** Kills the processes of a service one after the other, each as soon as the previous one is ready again. */
const killedInTurns: Fault = {
  name: 'kill-in-turns',
  about: 'kill -9 of a single process of the feed and of event dispatch, again and again for 15 s',
  losesNotifications: true,
  inject: async ({ stack }) => {
    const victims = SHORT.flatMap((name) => stack.processes[name]!)
    const end = Date.now() + 15_000
    for (let turn = 0; Date.now() < end; turn++) {
      stack.kill(victims[turn % victims.length]!)
      await sleep(2_000)
    }
  },
}

export const kills = [...names.map(killed), ...PAIRS.map(killedTogether), killedInTurns]
