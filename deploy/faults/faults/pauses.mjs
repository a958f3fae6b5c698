// Processes that are paused and resume unaware of it: zombie consumers, expired leases.
import { setTimeout as sleep } from 'node:timers/promises'
import { upstreams } from '../../local/services/names.mjs'

const PAUSE = 40_000
const SHORT_PAUSE = 12_000

async function pause({ stack, isShort }, names) {
  for (const name of names) stack.signal(name, 'SIGSTOP')
  await sleep(isShort ? SHORT_PAUSE : PAUSE)
  for (const name of names) stack.signal(name, 'SIGCONT')
}

export const pauses = [
  {
    name: 'pause-feed-and-dispatch',
    about: 'SIGSTOP of one process each of the feed and of event dispatch for 40 s (short: 12 s); the others take over',
    isShort: true,
    inject: (run) => pause(run, [run.stack.processes['reservation-feed'][0], run.stack.processes['event-dispatch'][0]]),
  },
  {
    name: 'pause-all-consumers',
    about: 'SIGSTOP of both processes of the feed, the catalog, ARI and event dispatch for 12 s',
    inject: ({ stack }) => {
      const names = upstreams.flatMap(({ name }) => stack.processes[name])
      return pause({ stack, isShort: true }, names)
    },
  },
  {
    name: 'pause-kafka',
    about: 'SIGSTOP of Kafka for 12 s',
    inject: ({ stack }) => pause({ stack, isShort: true }, ['kafka']),
  },
]
