// The processes of one service as a load balancer sees them: new connections go to those that report ready.
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_EVERY = 200
const PATIENCE = 1_000

/** One process of a service. */
export interface Endpoint {
  /** Port of its probes. */
  health: number
  /** Ports that are balanced. */
  ports: readonly number[]
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(PATIENCE) })
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    return false
  }
}

export class Endpoints {
  readonly #processes: readonly Endpoint[]
  #ready: Endpoint[] = []
  #turn = 0
  #isOn = true

  constructor(processes: readonly Endpoint[]) {
    this.#processes = processes
    for (const one of processes) void this.#watch(one)
  }

  /** The next ready process's port of the kind; undefined when none is ready. */
  next(kind = 0): number | undefined {
    if (this.#ready.length === 0) return undefined
    this.#turn += 1
    return this.#ready[this.#turn % this.#ready.length]?.ports[kind]
  }

  get allReady(): boolean {
    return this.#ready.length === this.#processes.length
  }

  close(): void {
    this.#isOn = false
  }

  async #watch(one: Endpoint): Promise<void> {
    for (; this.#isOn; await sleep(LOOK_EVERY, undefined, { ref: false })) {
      const ready = await isReady(one.health)
      this.#ready = this.#ready.filter((other) => other !== one)
      if (ready) this.#ready.push(one)
    }
  }
}
