import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** Answer to an event. */
export interface EventAnswer {
  status: number
  body?: string
}

/** A partner's receiver of callbacks on this machine, which answers challenges by itself. */
export class CallbackReceiver {
  readonly #server: Server

  /** @param answer is called with every event and the path that it came to */
  constructor(answer: (event: unknown, path: string) => EventAnswer | Promise<EventAnswer>) {
    this.#server = createServer((request, response) => {
      const answered = async () => {
        const sent = await json(request)
        const { challenge } = sent as { challenge?: string }
        if (challenge !== undefined) return response.end(JSON.stringify({ challenge }))
        const { status, body } = await answer(sent, request.url!)
        return response.writeHead(status).end(body)
      }
      void answered().catch(() => response.destroy())
    })
  }

  /** Listens; alone it does not keep the process running. */
  async start(): Promise<this> {
    await once(this.#server.listen(0, '127.0.0.1').unref(), 'listening')
    return this
  }

  /** Address of the callback with this path. */
  urlOf(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }

  /** Stops listening and ends all connections. */
  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
