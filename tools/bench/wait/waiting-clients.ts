// Clients that send a request with `wait` and the next one as soon as it is answered.
import http from 'node:http'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { BASE_PATH, signedHeaders, type SigningKey } from '@connectivity/toolkit/partner'

const WAIT = 25

/** An answer, and when its first byte came, ms since the epoch. */
interface Answered {
  text: string
  at: number
}

export class WaitingClients {
  readonly #baseUrl: string
  readonly #signing: SigningKey
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: Infinity })
  readonly #running: Promise<void>[] = []
  readonly #failure = Promise.withResolvers<never>()
  readonly #requests = new Set<http.ClientRequest>()
  #stopping = false
  /** Rejects when a request fails. */
  readonly failed = this.#failure.promise

  constructor(baseUrl: string, signing: SigningKey) {
    this.#baseUrl = baseUrl
    this.#signing = signing
  }

  /** Has `each` requests for reservations and as many for events wait for every connection. */
  start(connectionIds: readonly string[], each: number): void {
    const since = new Date().toISOString()
    for (const id of connectionIds) {
      for (let count = 0; count < each; count++) {
        this.#repeat(() => this.#ask('/reservations', `property_id=${id}&updated_since=${since}`))
        this.#repeat(() => this.#ask('/reservations/events', `property_id=${id}`))
      }
    }
  }

  /** Follows a feed from now on. Returns the growing list of the times from a change's stamp to its arrival, ms. */
  follow(connectionId: string): number[] {
    const latencies: number[] = []
    let since = new Date().toISOString()
    this.#repeat(async () => {
      const { text, at } = await this.#ask('/reservations', `property_id=${connectionId}&updated_since=${since}`)
      for (const { updated_at } of (JSON.parse(text) as FeedPage).reservations) {
        const stamp = Date.parse(updated_at)
        latencies.push(at - stamp)
        since = new Date(stamp + 1).toISOString()
      }
    })
    return latencies
  }

  async stop(): Promise<void> {
    this.#stopping = true
    for (const request of this.#requests) request.destroy()
    await Promise.all(this.#running)
    this.#agent.destroy()
  }

  #repeat(one: () => Promise<unknown>): void {
    const loop = async () => {
      while (!this.#stopping) await one()
    }
    const fail = (error: unknown) => {
      if (!this.#stopping) this.#failure.reject(error)
    }
    this.#running.push(loop().catch(fail))
  }

  #ask(path: string, query: string): Promise<Answered> {
    const target = `${BASE_PATH}${path}?${query}&wait=${WAIT}`
    const headers = { ...signedHeaders('GET', BASE_PATH + path, '', this.#signing) }
    return new Promise((resolve, reject) => {
      const request = http.get(this.#baseUrl + target, { agent: this.#agent, headers }, (response) => {
        const at = Date.now()
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.once('error', reject).once('end', () => {
          if (response.statusCode === 200) resolve({ text, at })
          else reject(new Error(`${response.statusCode}: ${text}`))
        })
      })
      this.#requests.add(request)
      request.once('close', () => this.#requests.delete(request)).once('error', reject)
    })
  }
}
