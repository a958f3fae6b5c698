import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { keepFigures } from '@connectivity/testing/figures'
import type { GatewayProcess } from './gateway-process.js'
import type { Partner } from './partner.js'

const KIB = 1024
const MIB = 1024 * KIB
/** Milliseconds of one tick in /proc. */
const TICK = 10
/** Duration of an attack and pause between two calls of the healthy partner, ms. */
export const ATTACK = 4_000
const PAUSE = 10
const PER_ADDRESS = 200

/** Connections of attackers and what each of them sends. */
export interface Attack {
  /** Connections held at once, spread over addresses 127.0.0.2 and up, `perAddress` on each. */
  connections: number
  perAddress: number
  /** Text that each connection sends first, and the number of bytes after it. */
  text: string
  bytes: number
  /** Time between two of these bytes, ms; 0 sends them as fast as they are taken. */
  pause: number
  /** Action of a connection after each answer. */
  then: 'wait' | 'send again' | 'reconnect'
  /** Whether a connection that has ended is followed by another at once. */
  again: boolean
}

/** Connections and answers of the attackers. */
export interface Seen {
  connected: number
  ended: number
  /** Answers by status. */
  answers: Record<string, number>
}

/** Calls of the healthy partner: times in ms. The process: growth in MiB; CPU, and that of its longest turn, in ms. */
interface Watched {
  failed: number
  p50: number
  p99: number
  longestTurn: number
  growth: number
  cpu: number
}

const nothing: Attack = {
  connections: 1,
  perAddress: PER_ADDRESS,
  text: '',
  bytes: 0,
  pause: 0,
  then: 'wait',
  again: false,
}

/** Times of calls, ms. */
class Times {
  private readonly all: number[] = []

  async of<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    const result = await work()
    this.all.push(performance.now() - began)
    return result
  }

  at(share: number): number {
    return this.all.toSorted((a, b) => a - b)[Math.floor(this.all.length * share)]!
  }
}

/** Measures a gateway and a healthy partner without and with an attack. */
export class BesideAttack {
  constructor(
    private readonly gateway: GatewayProcess,
    private readonly partner: Partner,
  ) {}

  /** Measures before the attack and during it; the figures are kept under `name`. */
  async measure(name: string, attack: Partial<Attack>, duration = ATTACK) {
    const workerData = { ...nothing, ...attack, port: this.gateway.publicPort }
    const quiet = await this.watch(ATTACK / 2)
    const worker = new Worker(new URL('attack.worker.ts', import.meta.url), { workerData })
    const beside = await this.watch(duration)
    worker.postMessage('stop')
    const [seen] = (await once(worker, 'message')) as [Seen]
    await worker.terminate()
    const answers = Object.values(seen.answers).reduce((sum, count) => sum + count, 0)
    /** CPU that the attack adds, ms a second. */
    const cpuPerSecond = (beside.cpu / duration - quiet.cpu / (ATTACK / 2)) * 1_000
    const found = { quiet, beside, seen, answers, cpuPerSecond }
    keepFigures(name, found)
    return found
  }

  private async watch(duration: number): Promise<Watched> {
    const [times, until] = [new Times(), performance.now() + duration]
    await this.gateway.longestTurn()
    const [before, cpuBefore] = [this.memory(), this.cpu()]
    let [most, failed] = [before, 0]
    while (performance.now() < until) {
      const { status } = await times.of(() => this.partner.get('/properties'))
      if (status !== 200) failed += 1
      most = Math.max(most, this.memory())
      await delay(PAUSE)
    }
    const found = { failed, p50: times.at(0.5), p99: times.at(0.99), longestTurn: await this.gateway.longestTurn() }
    return { ...found, growth: (most - before) / MIB, cpu: this.cpu() - cpuBefore }
  }

  private memory(): number {
    const status = readFileSync(`/proc/${this.gateway.process.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * KIB
  }

  private cpu(): number {
    const [, , ...fields] = readFileSync(`/proc/${this.gateway.process.pid}/stat`, 'utf8').split(/\) | /).slice(1)
    return (Number(fields[10]) + Number(fields[11])) * TICK
  }
}
