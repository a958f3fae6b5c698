// The partners' receiver of callbacks: one for all lanes, distinguished by the path.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Answers challenges, and accepts every event unless the receiver of a lane is set as gone. */
export class Receiver {
  private readonly server: Server
  private readonly gone = new Set<string>()

  constructor() {
    this.server = createServer(
      (request, response) => void this.answer(request, response).catch(() => response.destroy()),
    )
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return this
  }

  /** Address that a lane registers as its callback. */
  urlOf(lane: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${lane}`
  }

  /** While `isGone`, events are answered 410, which suspends the callback. */
  setGone(lane: string, isGone: boolean): void {
    if (isGone) this.gone.add(`/${lane}`)
    else this.gone.delete(`/${lane}`)
  }

  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { challenge } = JSON.parse(await textOf(request)) as { challenge?: string }
    if (challenge !== undefined) response.end(JSON.stringify({ challenge }))
    else response.writeHead(this.gone.has(request.url ?? '') ? 410 : 204).end()
  }
}
