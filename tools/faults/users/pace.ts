// Pace of the users of a run: until when they work, and how long they pause.
import { setTimeout as sleep } from 'node:timers/promises'

export class Pace {
  #isOver = false
  #slowness = 1

  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
  }

  /** @param usual milliseconds of the pause at full pace */
  pause(usual: number): Promise<void> {
    return sleep(usual * this.#slowness)
  }

  /** Makes all pauses `slowness` times as long while `work` runs. */
  async slowedDown<T>(slowness: number, work: () => Promise<T>): Promise<T> {
    this.#slowness = slowness
    try {
      return await work()
    } finally {
      this.#slowness = 1
    }
  }
}
