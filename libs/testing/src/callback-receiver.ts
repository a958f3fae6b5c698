import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A partner's callback on this machine: answers challenges, and events with the given status and body. */
export class CallbackReceiver {
  status = 200
  body = ''
  /** Promise that delays the answers to events until it resolves. */
  answering: Promise<void> = Promise.resolve()
  /** Number of events received. */
  received = 0
  private readonly server = createServer((request, response) => {
    void json(request).then(async (sent) => {
      const { challenge } = sent as { challenge?: string }
      if (challenge !== undefined) return response.end(JSON.stringify({ challenge }))
      this.received += 1
      await this.answering
      return response.writeHead(this.status).end(this.body)
    })
  })

  /** @returns its address */
  async start(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening')
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hooks/reservations`
  }

  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}
