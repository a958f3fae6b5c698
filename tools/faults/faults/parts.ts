// Stops, kills and restarts PostgreSQL, Kafka and Redis, and makes them refuse.
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@connectivity/toolkit/until'
import { withClient } from '../../../deploy/local/parts/databases.ts'
import { kafkaClient } from '../../../deploy/local/parts/kafka-client.ts'
import type { FaultStack } from '../stack/fault-stack.ts'
import { command } from '../stack/redis-command.ts'
import type { Fault } from './fault.ts'

const OUTAGE = 20_000
const SHORT_OUTAGE = 5_000
const GROUP_EMPTY_WITHIN = 60_000

/** Ends a part with the signal and keeps it down for a while. */
async function down(stack: FaultStack, name: string, signal: NodeJS.Signals, milliseconds: number): Promise<void> {
  stack.hold(name, signal)
  await sleep(milliseconds)
  stack.release(name)
}

/** Restarts a part at once. */
const again = (stack: FaultStack, name: string, signal: NodeJS.Signals): Promise<void> => stack.restart(name, signal)

const asAdministrator = (stack: FaultStack, ...statements: string[]): Promise<void> =>
  withClient(stack.adminUrl, async (client) => {
    for (const statement of statements) await client.query(statement)
  })

const setting = (text: string): string[] => [`ALTER SYSTEM ${text}`, 'SELECT pg_reload_conf()']

async function readOnly(stack: FaultStack, milliseconds: number): Promise<void> {
  await asAdministrator(stack, ...setting('SET default_transaction_read_only = on'))
  await sleep(milliseconds)
  await asAdministrator(
    stack,
    'SET default_transaction_read_only = off',
    ...setting('RESET default_transaction_read_only'),
  )
}

const TERMINATE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`

async function terminate(stack: FaultStack, times: number): Promise<void> {
  for (let left = times; left > 0; left--) {
    await asAdministrator(stack, TERMINATE)
    await sleep(1_000)
  }
}

const GONE = 69 // GROUP_ID_NOT_FOUND

type Admin = ReturnType<ReturnType<typeof kafkaClient>['admin']>

/** Error of kafkajs when a broker keeps a group. */
interface DeleteGroupsError {
  groups?: { errorCode?: number }[]
}

/** Deletes the group once the sessions of its killed members have ended. */
async function deleteGroup(admin: Admin, groupId: string): Promise<void> {
  const isDeleted = () =>
    admin.deleteGroups([groupId]).then(
      () => true,
      ({ groups }: DeleteGroupsError) => groups?.[0]?.errorCode === GONE,
    )
  await until(isDeleted, {
    within: GROUP_EMPTY_WITHIN,
    every: 500,
    complaint: () => `Kafka keeps the group ${groupId}`,
  })
}

/** Stops all services, deletes the groups with their offsets, and starts the services again. */
async function forgetOffsets(stack: FaultStack): Promise<void> {
  const names = Object.values(stack.processes).flat()
  for (const name of names) stack.hold(name, 'SIGKILL')
  const admin = kafkaClient(stack.brokers).admin()
  await admin.connect()
  const { groups } = await admin.listGroups()
  for (const { groupId } of groups) await deleteGroup(admin, groupId)
  await admin.disconnect()
  for (const name of names) stack.release(name)
}

export const parts: Fault[] = [
  {
    name: 'kafka-stopped',
    about: 'Kafka stopped for 20 s (short: 5 s)',
    inject: ({ stack, isShort }) => down(stack, 'kafka', 'SIGTERM', isShort ? SHORT_OUTAGE : OUTAGE),
  },
  {
    name: 'kafka-killed',
    about: 'kill -9 of Kafka, which comes back at once',
    isShort: true,
    inject: ({ stack }) => again(stack, 'kafka', 'SIGKILL'),
  },
  {
    name: 'kafka-restarted',
    about: 'Kafka stopped and started',
    inject: ({ stack }) => again(stack, 'kafka', 'SIGTERM'),
  },
  {
    name: 'kafka-forgets-offsets',
    about: 'every consumer group and its offsets deleted in Kafka while all services are down',
    losesNotifications: true,
    inject: ({ stack }) => forgetOffsets(stack),
  },
  {
    name: 'postgres-killed',
    about: 'kill -9 of PostgreSQL, which recovers at once',
    isShort: true,
    losesNotifications: true,
    inject: ({ stack }) => again(stack, 'postgres', 'SIGKILL'),
  },
  {
    name: 'postgres-restarted',
    about: 'PostgreSQL stopped for 5 s: sessions ended, new ones refused',
    losesNotifications: true,
    inject: ({ stack }) => down(stack, 'postgres', 'SIGINT', SHORT_OUTAGE),
  },
  {
    name: 'postgres-sessions-ended',
    about: 'all sessions of PostgreSQL terminated, five times a second apart',
    isShort: true,
    losesNotifications: true,
    inject: ({ stack, isShort }) => terminate(stack, isShort ? 2 : 5),
  },
  {
    name: 'postgres-refuses-writes',
    about: 'PostgreSQL refuses to write for 10 s (read-only transactions), as with a full disk; reads go on',
    inject: ({ stack }) => readOnly(stack, 2 * SHORT_OUTAGE),
  },
  {
    name: 'redis-stopped',
    about: 'Redis stopped for 5 s',
    inject: ({ stack }) => down(stack, 'redis', 'SIGTERM', SHORT_OUTAGE),
  },
  {
    name: 'redis-flushed',
    about: 'Redis flushed, five times',
    isShort: true,
    inject: async ({ stack }) => {
      for (let left = 5; left > 0; left--) await command(stack.redisUrl, 'FLUSHALL')
    },
  },
]
