// A new version is rolled out: one process after the other is asked to end, under load, and nobody notices.
import { setTimeout as sleep } from 'node:timers/promises'
import { services } from '../../local/services/names.mjs'

/** How long fresh processes are left alone before the next ones go, ms. */
const BETWEEN = 500

async function restart(stack, names) {
  await Promise.all(names.map((name) => stack.restart(name)))
  await stack.untilAllReady()
  await sleep(BETWEEN)
}

export const restarts = [
  {
    name: 'rolling-restart',
    about:
      'every process ended by SIGTERM and started again, one at a time (short: one of each service at a time); no request may fail',
    isShort: true,
    mustServe: true,
    inject: async ({ stack, isShort }) => {
      const all = services.map(({ name }) => stack.processes[name])
      const rounds = isShort
        ? [0, 1].map((number) => all.map((names) => names[number]))
        : all.flat().map((name) => [name])
      for (const names of rounds) await restart(stack, names)
    },
  },
]
