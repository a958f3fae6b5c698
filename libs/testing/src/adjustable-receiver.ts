import { CallbackReceiver } from '@connectivity/toolkit/callback-receiver'

/** A partner's callback on this machine: answers challenges, and events with the status and body that a test sets. */
export class AdjustableReceiver {
  status = 200
  body = ''
  /** Promise that delays the answers to events until it resolves. */
  answering: Promise<void> = Promise.resolve()
  /** Number of events received. */
  received = 0
  private readonly receiver = new CallbackReceiver(async () => {
    this.received += 1
    await this.answering
    return { status: this.status, body: this.body }
  })

  /** @returns its address */
  async start(): Promise<string> {
    await this.receiver.start()
    return this.receiver.urlOf('/hooks/reservations')
  }

  /** Stops listening and ends all connections. */
  stop(): void {
    this.receiver.stop()
  }
}
