// Monitors memory and liveness of every process during a round.
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { amountOf } from '@connectivity/toolkit/amounts'
import { cpuOf } from '@connectivity/toolkit/cpu'
import { residentBytes } from '@connectivity/toolkit/memory'
import { percentiles } from '@connectivity/toolkit/statistics'
import { parseAllDocuments } from 'yaml'
import { root } from '../../../deploy/local/bootstrap/config.mjs'
import type { Observed } from '../stack/fault-stack.ts'
import type { Round } from '../history/figures.ts'

const LOOK_EVERY = 500

interface Container {
  name: string
  resources: { limits: { memory: string } }
  livenessProbe: { httpGet: { path: string }; timeoutSeconds?: number; failureThreshold?: number }
}

interface Manifest {
  kind: string
  spec: { template: { spec: { containers: Container[] } } }
}

/** The service's container in the manifests, with its limits. */
function readContainer(service: string): Container {
  const file = join(root, 'deploy/kubernetes/base', service, 'deployment.yaml')
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map((one) => one.toJS() as Manifest)
  return documents.find(({ kind }) => kind === 'Deployment')!.spec.template.spec.containers[0]!
}

/** `reservation-feed-2` is a process of `reservation-feed`. */
const serviceOf = (name: string): string => name.replace(/-\d+$/, '')

/** Containers by service: parsing their manifests takes 100 ms, for which calls of the healthy partner would wait. */
const containers = new Map<string, Container>()

function containerOf(service: string): Container {
  const container = containers.get(service) ?? readContainer(service)
  containers.set(service, container)
  return container
}

class Watched {
  private readonly container: Container
  private most = 0
  private failures = 0
  private readonly name: string
  private readonly pid: number
  private readonly port: number
  readonly dead: string[] = []

  constructor(name: string, pid: number, port: number) {
    this.name = name
    this.pid = pid
    this.port = port
    this.container = containerOf(serviceOf(name))
  }

  async watch(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      this.most = Math.max(this.most, residentBytes(this.pid))
      this.judge(await this.isAlive())
      await sleep(LOOK_EVERY)
    }
  }

  get memory(): Round['memory'][number] {
    return { process: this.name, bytes: this.most, limit: amountOf(this.container.resources.limits.memory) }
  }

  private judge(isAlive: boolean): void {
    this.failures = isAlive ? 0 : this.failures + 1
    if (!isAlive) this.dead.push(`${this.name} did not answer its liveness probe, ${this.failures} times in a row`)
  }

  private async isAlive(): Promise<boolean> {
    const { httpGet, timeoutSeconds = 1 } = this.container.livenessProbe
    const signal = AbortSignal.timeout(timeoutSeconds * 1_000)
    const answer = await fetch(`http://127.0.0.1:${this.port}${httpGet.path}`, { signal }).catch(() => null)
    return answer?.status === 200
  }
}

/** CPU time of processes since their start, ms; 0 for one that has ended. */
function timeOf(pids: readonly number[]): number {
  const times = cpuOf(Object.fromEntries(pids.map((pid) => [pid, pid])))
  return Object.values(times).reduce((sum, one) => sum + one, 0) / 1_000
}

/** Time of all processors since the start, ms. */
function processorTime(): { idle: number; all: number } {
  const each = cpus().map(({ times: { user, nice, sys, idle, irq } }) => ({
    idle,
    all: user + nice + sys + idle + irq,
  }))
  return each.reduce((sum, { idle, all }) => ({ idle: sum.idle + idle, all: sum.all + all }))
}

/** The processors of the machine. */
class Processors {
  /** Share in use from one sample to the next, 0 to 1. */
  private readonly shares: number[] = []

  async watch(isOver: () => boolean): Promise<void> {
    for (let before = processorTime(); !isOver();) {
      await sleep(LOOK_EVERY)
      const now = processorTime()
      this.shares.push(1 - (now.idle - before.idle) / (now.all - before.all))
      before = now
    }
  }

  get busy(): number {
    return percentiles(this.shares, 0).p90
  }
}

/**
 * Watches the machine and every process until `work` is done.
 * @param attackers ids of their processes
 */
export async function watching<T>(
  { processes, probes }: Observed,
  attackers: readonly number[],
  work: () => Promise<T>,
) {
  const times = () => [timeOf(attackers), timeOf(Object.values(processes)), performance.now()] as const
  const before = times()
  const watched = Object.entries(processes).map(([name, pid]) => new Watched(name, pid, probes[name]!))
  const processors = new Processors()
  let isOver = false
  const all = [processors, ...watched].map((one) => one.watch(() => isOver))
  const result = await work().finally(() => (isOver = true))
  await Promise.all(all)
  const { busy } = processors
  const now = times()
  const lasted = now[2] - before[2]
  const used = { attackers: (now[0] - before[0]) / lasted, services: (now[1] - before[1]) / lasted }
  return { result, busy, used, memory: watched.map(({ memory }) => memory), dead: watched.flatMap(({ dead }) => dead) }
}
