// The CPU time that one input may cost, and the search for inputs that cost more.
import { setTimeout as delay } from 'node:timers/promises'
import type { Amounts, Processes } from './processes.ts'

/**
 * CPU time that one input may cost any process that serves it, ms. A service has one event loop: all other partners
 * wait that long.
 */
export const CPU_BOUND = 50

/** Number of tries: garbage collections and other noise do not hit the same input every time. */
const TRIES = 5
/** An input or a group that costs this many times the bound is not noise. */
const NO_NOISE = 10

/** A stack is at rest when its services use less than `RESTING_MS` of CPU time in `LOOK_EVERY` ms. */
const RESTING_MS = 2
const LOOK_EVERY = 10
const REST_WITHIN = 60_000

export interface Cost {
  process: string
  ms: number
}

/** The process that has used most. */
export function highest(amounts: Amounts): Cost {
  const [[process, ms]] = Object.entries(amounts).toSorted(([, a], [, b]) => b - a) as [[string, number]]
  return { process, ms }
}

const only = (amounts: Amounts, names: readonly string[]): Amounts =>
  Object.fromEntries(names.map((name) => [name, amounts[name] ?? 0]))

/** Measures CPU time of the processes that serve inputs. */
export class CpuMeter {
  private readonly processes: Processes
  private readonly services: readonly string[]

  /**
   * @param processes all that serve inputs
   * @param services names of those that are the project's own
   */
  constructor(processes: Processes, services: readonly string[]) {
    this.processes = processes
    this.services = services
  }

  /** Does the work and returns the CPU time that every process used meanwhile. */
  async of(work: () => Promise<unknown>): Promise<Amounts> {
    const before = this.processes.cpu()
    await work()
    return this.processes.cpuSince(before)
  }

  /** Resolves when the services are idle, so that the next input is not charged for earlier work. */
  async rest(): Promise<void> {
    for (const deadline = Date.now() + REST_WITHIN; Date.now() < deadline;) {
      const used = await this.of(() => delay(LOOK_EVERY))
      if (highest(only(used, this.services)).ms < RESTING_MS) return
    }
  }

  /** True when a group costs a service more than noise can explain, even if its single inputs do not. */
  isNoNoise(amounts: Amounts): boolean {
    return highest(only(amounts, this.services)).ms > CPU_BOUND * NO_NOISE
  }

  /**
   * Cost of one input to the process that it costs most: the lowest of several tries.
   * @param prepare brings the stack into the state that the input needs; not measured
   */
  async costOf(prepare: () => Promise<unknown>, send: () => Promise<unknown>): Promise<Cost> {
    let best: Cost = { process: '', ms: Infinity }
    for (let left = TRIES; left > 0 && best.ms > CPU_BOUND; left--) {
      await prepare()
      await this.rest()
      const used = await this.of(send)
      const cost = highest(used)
      if (cost.ms < best.ms) best = cost
      if (this.isNoNoise(used)) break
    }
    return best
  }
}
