import { pause } from '@connectivity/service-kit/work'
import type { Kafka } from 'kafkajs'
import { createClusterKey } from './broker-connections.js'

interface Cluster {
  connect(): Promise<void>
  disconnect(): Promise<void>
  findGroupCoordinator(query: { groupId: string }): Promise<{
    describeGroups(query: {
      groupIds: string[]
    }): Promise<{ groups: { members: { memberId: string; clientId: string }[] }[] }>
    leaveGroup(member: { groupId: string; memberId: string }): Promise<unknown>
  }>
}

function clusterOf(kafka: Kafka): Cluster {
  const creator = kafka as unknown as Record<symbol, (options: object) => Cluster>
  return creator[createClusterKey(kafka)]!({ metadataMaxAge: 300_000, instrumentationEmitter: null })
}

const LIMIT = 30_000
const PAUSE = 200

/**
 * Removes from the group the members that an earlier process of the same client id left behind when it crashed;
 * otherwise its partitions, and with the eager rebalance all others, stand still for the session timeout (9.3 s against
 * 1.1 s). kafkajs has no static membership, hence the use of its internal cluster.
 * The caller must be sure that no other live process has the name: two would evict each other.
 * @returns how many members were removed
 * @throws the signal's reason once it is aborted
 * @throws kafkajs' error when the group's coordinator does not answer within 30 s; a fresh broker loads it for a second
 */
export async function evictPredecessor(
  kafka: Kafka,
  groupId: string,
  clientId: string,
  signal: AbortSignal,
): Promise<number> {
  const cluster = clusterOf(kafka)
  await cluster.connect()
  try {
    for (const deadline = Date.now() + LIMIT; ; await pause(PAUSE, signal)) {
      signal.throwIfAborted()
      try {
        return await evict(cluster, groupId, clientId)
      } catch (error) {
        const retriable = (error as { retriable?: boolean }).retriable === true
        if (!retriable || Date.now() > deadline) throw error
      }
    }
  } finally {
    await cluster.disconnect()
  }
}

async function evict(cluster: Cluster, groupId: string, clientId: string): Promise<number> {
  const coordinator = await cluster.findGroupCoordinator({ groupId })
  const { groups } = await coordinator.describeGroups({ groupIds: [groupId] })
  const left = groups.flatMap(({ members }) => members).filter((member) => member.clientId === clientId)
  for (const { memberId } of left) await coordinator.leaveGroup({ groupId, memberId }).catch(unlessGoneAlready)
  return left.length
}

/** The member's session may end between the lookup and the eviction. */
function unlessGoneAlready(error: unknown): void {
  if ((error as { type?: string }).type !== 'UNKNOWN_MEMBER_ID') throw error
}
