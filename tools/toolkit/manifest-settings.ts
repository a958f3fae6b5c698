// Settings read from the manifests: memory limits, autoscalers' maxima, max_connections, partitions, disks.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { type Amount, amountOf } from './amounts.ts'
import { root } from './config.ts'

const MIB = 2 ** 20

/** Services that run as processes of one thread. */
export const services = ['gateway', 'catalog', 'reservation-feed', 'ari', 'event-dispatch'] as const
/** Name of such a service. */
export type Service = (typeof services)[number]

interface KubernetesObject {
  kind: string
  metadata: { name: string }
}
interface Deployment {
  spec: {
    template: {
      spec: { containers: { resources: { limits: { memory: string } }; env?: { name: string; value?: string }[] }[] }
    }
  }
}
interface Cluster {
  spec: { postgresql: { parameters: { max_connections: string } }; storage: { size: Amount } }
}
interface NodePool {
  spec: { replicas: number; roles: string[]; storage: { volumes: { size: Amount }[] } }
}
interface Topic {
  metadata: { name: string }
  spec: { partitions: number; replicas: number; config: { 'retention.ms'?: number } }
}

/** Objects of a kind in a file below deploy/kubernetes. */
function objectsOf<T extends object>(file: string, kind: string): (T & KubernetesObject)[] {
  const text = readFileSync(join(root, 'deploy/kubernetes', file), 'utf8')
  const all = parseAllDocuments(text).map((document) => document.toJS() as T & KubernetesObject)
  return all.filter((object) => object.kind === kind)
}

/** Settings of a service in the manifests. */
export interface Settings {
  /** Limit of a container's memory, bytes. */
  memory: number
  /** Bound of V8's old generation, bytes: `--max-old-space-size`, or by V8's default half of the limit. */
  heap: number
  /** Most instances of an autoscaler: the base's, or KEDA's if that is higher. */
  maxReplicas: number
  maxConnections: number
}

/** The most replicas of a service that any autoscaler of the manifests makes. */
function maxReplicasOf(service: Service): number {
  const [own] = objectsOf<{ spec: { maxReplicas: number } }>(`base/${service}/autoscaling.yaml`, 'HorizontalPodAutoscaler')
  const scaled = objectsOf<{ spec: { maxReplicaCount: number } }>('components/keda/scaling.yaml', 'ScaledObject')
  const byLag = scaled.filter(({ metadata }) => metadata.name === service).map(({ spec }) => spec.maxReplicaCount)
  return Math.max(own!.spec.maxReplicas, ...byLag)
} // prettier-ignore

/** The settings of a service. */
export function settingsOf(service: Service): Settings {
  const [deployment] = objectsOf<Deployment>(`base/${service}/deployment.yaml`, 'Deployment')
  const { resources, env } = deployment!.spec.template.spec.containers[0]!
  const memory = amountOf(resources.limits.memory)
  const options = env?.find(({ name }) => name === 'NODE_OPTIONS')?.value
  const oldSpace = /--max-old-space-size=(\d+)/.exec(options ?? '')?.[1]
  const [database] = objectsOf<Cluster>(`platform/postgres/${service}.yaml`, 'Cluster')
  return {
    memory,
    heap: oldSpace === undefined ? memory / 2 : Number(oldSpace) * MIB,
    maxReplicas: maxReplicasOf(service),
    maxConnections: Number(database!.spec.postgresql.parameters.max_connections),
  }
}

/** A topic as Strimzi's manifests declare it. */
export interface TopicSettings {
  partitions: number
  replicas: number
  /** Days for which messages are kept; undefined for a compacted topic. */
  days: number | undefined
}

/** The settings of a topic. */
export function topicOf(name: string): TopicSettings {
  const { spec } = objectsOf<Topic>('platform/kafka/topics.yaml', 'KafkaTopic').find(
    ({ metadata }) => metadata.name === name,
  )!
  const kept = spec.config['retention.ms']
  return { partitions: spec.partitions, replicas: spec.replicas, days: kept && kept / 86_400_000 }
}

/** Number of brokers. */
export const brokers = (): number => brokerPool().replicas

const brokerPool = (): NodePool['spec'] =>
  objectsOf<NodePool>('platform/kafka/kafka.yaml', 'KafkaNodePool').find(({ spec }) => spec.roles.includes('broker'))!.spec // prettier-ignore

/** Disks of data, bytes: of all brokers, and of one instance of each database. */
export const disks = (): { kafka: number; postgres: number } => ({
  kafka: brokerPool().replicas * amountOf(brokerPool().storage.volumes[0]!.size),
  postgres: services
    .map((service) => objectsOf<Cluster>(`platform/postgres/${service}.yaml`, 'Cluster')[0]!.spec.storage.size)
    .reduce<number>((sum, size) => sum + amountOf(size), 0),
})
