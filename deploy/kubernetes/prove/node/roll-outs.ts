// Roll-outs and an eviction in a cluster, while partners read and write: none of their requests may fail.
import type { Fault } from '../../../../tools/faults/faults/fault.ts'
import type { System } from '../../../../tools/faults/stack/system.ts'
import { until } from '@connectivity/toolkit/until'
import { services } from '../../../local/services/names.ts'
import { NAMESPACE } from '../config.ts'
import { type Kubectl, nameOfLivingPod, type Pod } from '../kubectl.ts'

const LIMIT = '--timeout=300s'
/** Time in which the disruption budget must allow the eviction, ms. */
const EVICTED_WITHIN = 60_000

/** An eviction is refused while too few pods are ready; the caller tries again. */
function unlessOverBudget(error: { stderr?: string }): false {
  if (!error.stderr?.includes('disruption budget')) throw error as Error
  return false
}

/** Addresses of a cluster's services. */
type Addresses = Omit<System, 'untilAllReady'>

/** The services in a cluster. */
export class Cluster implements System {
  readonly baseUrl: string
  readonly brokers: string[]
  readonly ops: System['ops']
  readonly callbackAddress: string
  private readonly cluster: Kubectl

  constructor(cluster: Kubectl, { baseUrl, brokers, ops, callbackAddress }: Addresses) {
    this.cluster = cluster
    this.baseUrl = baseUrl
    this.brokers = brokers
    this.ops = ops
    this.callbackAddress = callbackAddress
  }

  private kubectl(...args: string[]): Promise<string> {
    return this.cluster.later([...args, '--namespace', NAMESPACE])
  }

  async untilAllReady(): Promise<void> {
    for (const { name } of services) await this.kubectl('rollout', 'status', `deployment/${name}`, LIMIT)
  }

  /** Replaces every pod of a service. */
  async rollOut(service: string): Promise<void> {
    await this.kubectl('rollout', 'restart', `deployment/${service}`)
    await this.kubectl('rollout', 'status', `deployment/${service}`, LIMIT)
  }

  private async nameOfLivingPod(selector: string): Promise<string> {
    const { items } = JSON.parse(await this.kubectl('get', 'pods', selector, '--output=json')) as { items: Pod[] }
    return nameOfLivingPod(items)
  }

  /** Evicts a pod of a service as a drained node does, within the bounds of its disruption budget. */
  async evictOne(service: string): Promise<void> {
    const selector = `--selector=app.kubernetes.io/name=${service},app.kubernetes.io/component=service`
    const name = await this.nameOfLivingPod(selector)
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: NAMESPACE } }
    const path = `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`
    const evict = () => this.cluster.later(['create', '--raw', path, '--filename=-'], JSON.stringify(eviction))
    await until(() => evict().then(() => true, unlessOverBudget), {
      within: EVICTED_WITHIN,
      every: 1_000,
      complaint: () => `${name} may not go`,
    })
    await this.kubectl('wait', '--for=delete', `pod/${name}`, LIMIT)
    await this.untilAllReady()
  }
}

/** What is done to the cluster, one after the other. */
export const disruptions: readonly Fault<Cluster>[] = [
  ...services.map(({ name }) => ({
    name: `roll-out-${name}`,
    about: `every pod of ${name} replaced as by a release; no request may fail`,
    mustServe: true,
    inject: ({ stack }: { stack: Cluster }) => stack.rollOut(name),
  })),
  {
    name: 'roll-out-everything',
    about: 'every pod of every service replaced at once; no request may fail',
    mustServe: true,
    inject: async ({ stack }) => void (await Promise.all(services.map(({ name }) => stack.rollOut(name)))),
  },
  {
    name: 'eviction-gateway',
    about: 'a pod of the gateway evicted; no request may fail',
    mustServe: true,
    inject: ({ stack }) => stack.evictOne('gateway'),
  },
]
