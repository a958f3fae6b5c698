// Counts changes that reached a waiting request without a notification, by the metric of the gateway's processes.
import type { History } from './history-types.ts'
import type { System } from '../stack/system.ts'

/** The fault during which wake-ups are counted. */
interface Meanwhile {
  name: string
  losesNotifications?: boolean
}

/** Notes the count between two readings; a restarted process counts from 0. */
export class WakeUpCount {
  readonly #system: Pick<System, 'lostWakeUps'>
  readonly #history: History
  #before: ReadonlyMap<string, number> = new Map()
  #meanwhile: Meanwhile | null = null

  constructor(system: Pick<System, 'lostWakeUps'>, history: History) {
    this.#system = system
    this.#history = history
  }

  /** Ends the current count, and begins the next one with its fault; null for none. */
  async next(meanwhile: Meanwhile | null): Promise<void> {
    const now = await this.#system.lostWakeUps?.()
    if (!now) return
    if (this.#meanwhile) {
      const { name: during, losesNotifications: isExplained = false } = this.#meanwhile
      const grown = [...now].map(([name, count]) => (count < this.#lastOf(name) ? count : count - this.#lastOf(name)))
      this.#history.lostWakeUps.push({ during, count: grown.reduce((sum, one) => sum + one, 0), isExplained })
    }
    this.#before = now
    this.#meanwhile = meanwhile
  }

  #lastOf(name: string): number {
    return this.#before.get(name) ?? 0
  }
}
