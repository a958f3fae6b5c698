// Network paths that stall, delay, reset and end: between services and PostgreSQL, Kafka, and each other.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultStack } from '../stack/fault-stack.ts'
import type { NetworkPath } from '@connectivity/toolkit/network-path'
import type { Fault } from './fault.ts'

const LONG = 15_000
const SHORT = 5_000
const DELAY = 150

/** Network paths by destination. */
const WAYS = {
  postgres: ({ databases }: FaultStack) => Object.values(databases).flat(),
  kafka: ({ broker }: FaultStack) => [broker],
  services: ({ paths }: FaultStack) => Object.values(paths).flat(),
}

type Destination = keyof typeof WAYS

async function during(ways: NetworkPath[], milliseconds: number, begin: (way: NetworkPath) => unknown): Promise<void> {
  for (const way of ways) begin(way)
  await sleep(milliseconds)
  for (const way of ways) way.restore()
}

async function resetAgainAndAgain(ways: NetworkPath[], milliseconds: number): Promise<void> {
  for (const end = Date.now() + milliseconds; Date.now() < end; await sleep(500)) for (const way of ways) way.reset()
}

const faultsOf = (to: Destination, isShort: boolean): Fault[] => [
  {
    name: `network-${to}-stalls`,
    about: `no byte goes to or comes from ${to} for 15 s (short: 5 s), connections stay`,
    isShort: to === 'postgres',
    losesNotifications: to !== 'kafka',
    inject: (run) => during(WAYS[to](run.stack), run.isShort ? SHORT : LONG, (way) => way.stall()),
  },
  {
    name: `network-${to}-resets`,
    about: `every connection to ${to} is reset twice a second for 5 s`,
    isShort,
    losesNotifications: to !== 'kafka',
    inject: ({ stack }) => resetAgainAndAgain(WAYS[to](stack), SHORT),
  },
  {
    name: `network-${to}-delays`,
    about: `every byte to and from ${to} takes ${DELAY} ms longer for 5 s`,
    inject: ({ stack }) => during(WAYS[to](stack), SHORT, (way) => (way.delay = DELAY)),
  },
]

/** One process of the feed and one of event dispatch reach Kafka and each other's callers, but not PostgreSQL. */
const partitioned: Fault = {
  name: 'network-split',
  about: 'one process each of the feed and of event dispatch cut off from PostgreSQL alone for 15 s',
  losesNotifications: true,
  inject: ({ stack }) => {
    const cut = ['reservation-feed', 'event-dispatch'].map((name) => stack.databases[name]![0]!)
    return during(cut, LONG, (way) => way.cut())
  },
}

export const network: Fault[] = [
  ...faultsOf('postgres', false),
  ...faultsOf('kafka', true),
  ...faultsOf('services', false),
  partitioned,
]
