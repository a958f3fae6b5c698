// Rolls out a new version: restarts one process after the other under load, unnoticed by clients.
import { setTimeout as sleep } from 'node:timers/promises'
import { services } from '../../../deploy/local/services/names.ts'
import type { FaultStack } from '../stack/fault-stack.ts'
import type { Fault } from './fault.ts'

/** Pause after fresh processes before the next ones are restarted, ms. */
const BETWEEN = 500

async function restart(stack: FaultStack, names: string[]): Promise<void> {
  await Promise.all(names.map((name) => stack.restart(name)))
  await stack.untilAllReady()
  await sleep(BETWEEN)
}

export const restarts: Fault[] = [
  {
    name: 'rolling-restart',
    about:
      'every process ended by SIGTERM and started again, one at a time (short: one of each service at a time); no request may fail',
    isShort: true,
    mustServe: true,
    losesNotifications: true,
    inject: async ({ stack, isShort }) => {
      const all = services.map(({ name }) => stack.processes[name]!)
      const rounds = isShort
        ? [0, 1].map((number) => all.map((names) => names[number]!))
        : all.flat().map((name) => [name])
      for (const names of rounds) await restart(stack, names)
    },
  },
]
