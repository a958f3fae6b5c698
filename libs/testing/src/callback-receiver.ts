import { CallbackReceiver as Receiver } from '@connectivity/toolkit/callback-receiver'

/** A partner's callback on this machine: answers challenges, and events with the given status and body. */
export class CallbackReceiver {
  status = 200
  body = ''
  /** Promise that delays the answers to events until it resolves. */
  answering: Promise<void> = Promise.resolve()
  /** Number of events received. */
  received = 0
  private readonly receiver = new Receiver(async () => {
    this.received += 1
    await this.answering
    return { status: this.status, body: this.body }
  })

  /** @returns its address */
  async start(): Promise<string> {
    await this.receiver.start()
    return this.receiver.urlOf('/hooks/reservations')
  }

  stop(): void {
    this.receiver.stop()
  }
}
