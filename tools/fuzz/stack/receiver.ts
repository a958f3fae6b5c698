// The partners' receiver of callbacks: one for all lanes, distinguished by the path.
import { CallbackReceiver } from '@connectivity/toolkit/callback-receiver'

/** Accepts every event unless the receiver of a lane is set as gone. */
export class Receiver {
  private readonly gone = new Set<string>()
  private readonly receiver = new CallbackReceiver((_event, path) => ({ status: this.gone.has(path) ? 410 : 204 }))

  async start(): Promise<this> {
    await this.receiver.start()
    return this
  }

  /** Address that a lane registers as its callback. */
  urlOf(lane: string): string {
    return this.receiver.urlOf(`/${lane}`)
  }

  /** While `isGone`, events are answered 410, which suspends the callback. */
  setGone(lane: string, isGone: boolean): void {
    if (isGone) this.gone.add(`/${lane}`)
    else this.gone.delete(`/${lane}`)
  }

  stop(): void {
    this.receiver.stop()
  }
}
