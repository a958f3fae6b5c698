import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** How the callbacks of a path answer. */
export type Manner = 'well' | 'hanging' | 'failing'

/** A partner's receiver for many callbacks; checks what every receiver relies on, even while senders are killed. */
export class WatchingReceiver {
  readonly violations: string[] = []
  /** Sequences of all events received, by callback. */
  private readonly came = new Map<string, Set<number>>()
  private readonly latest = new Map<string, number>()
  private readonly inFlight = new Map<string, ServerResponse>()
  private server: Server | undefined
  private origin = ''

  async start(): Promise<this> {
    this.server = createServer((request, response) => void this.take(request, response))
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    this.origin = `http://127.0.0.1:${(this.server.address() as { port: number }).port}`
    return this
  }

  url(manner: Manner, callback: string): string {
    return `${this.origin}/${manner}/${callback}`
  }

  cameOf(callback: string): number {
    return this.came.get(callback)?.size ?? 0
  }

  stop(): void {
    this.server?.close()
    this.server?.closeAllConnections()
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    // An incomplete request of a killed sender does not count.
    const whole = await request
      .forEach((chunk: Buffer) => void chunks.push(chunk))
      .then(() => true)
      .catch(() => false)
    if (!whole) return
    const event = JSON.parse(Buffer.concat(chunks).toString()) as Event
    if (event.challenge) return void response.end(JSON.stringify({ challenge: event.challenge }))
    const [, manner, callback] = request.url!.split('/') as [string, Manner, string]
    this.note(callback, event, response)
    if (manner === 'hanging') return
    await delay(Math.random() * 5)
    this.inFlight.delete(keyOf(callback, event))
    response.writeHead(manner === 'well' ? 204 : 500).end()
  }

  private note(callback: string, event: Event, response: ServerResponse): void {
    const key = keyOf(callback, event)
    if (this.inFlight.has(key)) this.violations.push(`${key}: two at once`)
    this.inFlight.set(key, response)
    response.on('close', () => this.inFlight.get(key) === response && this.inFlight.delete(key))
    const before = this.latest.get(key) ?? 0
    if (event.sequence < before) this.violations.push(`${key}: ${event.sequence} after ${before}`)
    this.latest.set(key, event.sequence)
    const came = this.came.get(callback) ?? new Set()
    this.came.set(callback, came.add(event.sequence))
  }
}

interface Event {
  challenge?: string
  reservation_id: string
  sequence: number
}

const keyOf = (callback: string, event: Event): string => `${callback} ${event.reservation_id}`
