import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { CHANGES_PATH } from '@connectivity/contracts/waiting'
import type { GatewayConfig } from '../src/config.js'

const names = ['catalog', 'reservation-feed', 'ari', 'event-dispatch'] as const
export type Name = (typeof names)[number]
type Respond = (target: string, body: unknown) => object | null | Promise<object | null>

/** The four services behind a gateway, each answering as the test says: JSON, or null for 500. */
export class ScriptedServices {
  readonly asked: Record<Name, IncomingMessage[]> = {
    catalog: [],
    'reservation-feed': [],
    ari: [],
    'event-dispatch': [],
  }
  readonly respond: Partial<Record<Name, Respond>> = {}
  private readonly servers: Server[] = []

  /** @returns the gateway's configuration of their addresses */
  async start(): Promise<Partial<GatewayConfig>> {
    const urls = await Promise.all(names.map((name) => this.listen(name)))
    const [CATALOG_URL, RESERVATION_FEED_URL, ARI_URL, EVENT_DISPATCH_URL] = urls as [string, string, string, string]
    return { CATALOG_URL, RESERVATION_FEED_URL, ARI_URL, EVENT_DISPATCH_URL }
  }

  stop(): void {
    for (const server of this.servers) {
      server.close()
      server.closeAllConnections()
    }
  }

  private async listen(name: Name): Promise<string> {
    const server = createServer(async (request, response) => {
      if (request.url === CHANGES_PATH) return void response.writeHead(200).write('\n')
      this.asked[name].push(request)
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body: unknown = chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString())
      const answer = (await this.respond[name]?.(request.url!, body)) ?? null
      response.writeHead(answer === null ? 500 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? {}))
    }).listen(0, '127.0.0.1')
    this.servers.push(server)
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
}
