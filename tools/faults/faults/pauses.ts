// Processes that are paused and resume unaware of it: zombie consumers, expired leases.
import { setTimeout as sleep } from 'node:timers/promises'
import { upstreams } from '../../../deploy/local/services/names.ts'
import type { Fault, Run } from './fault.ts'

const PAUSE = 40_000
const SHORT_PAUSE = 12_000

async function pause({ stack, isShort }: Pick<Run, 'stack' | 'isShort'>, names: string[]): Promise<void> {
  for (const name of names) stack.signal(name, 'SIGSTOP')
  await sleep(isShort ? SHORT_PAUSE : PAUSE)
  for (const name of names) stack.signal(name, 'SIGCONT')
}

export const pauses: Fault[] = [
  {
    name: 'pause-feed-and-dispatch',
    about: 'SIGSTOP of one process each of the feed and of event dispatch for 40 s (short: 12 s); the others take over',
    isShort: true,
    losesNotifications: true,
    inject: (run) => {
      const names = ['reservation-feed', 'event-dispatch'].map((name) => run.stack.processes[name]![0]!)
      return pause(run, names)
    },
  },
  {
    name: 'pause-all-consumers',
    about: 'SIGSTOP of both processes of the feed, the catalog, ARI and event dispatch for 12 s',
    losesNotifications: true,
    inject: ({ stack }) => {
      const names = upstreams.flatMap(({ name }) => stack.processes[name]!)
      return pause({ stack, isShort: true }, names)
    },
  },
  {
    name: 'pause-kafka',
    about: 'SIGSTOP of Kafka for 12 s',
    inject: ({ stack }) => pause({ stack, isShort: true }, ['kafka']),
  },
]
