// Clients that send a request with `wait` and the next one as soon as it is answered.
import http from 'node:http'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { BASE_PATH, signedHeaders, type SigningKey } from '../../../deploy/local/demo/partner.ts'

const WAIT = 25

/** An answer, and when its first byte came, ms since the epoch. */
interface Answered {
  status: number
  text: string
  at: number
}

export class WaitingClients {
  readonly #baseUrl: string
  readonly #signing: SigningKey
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: Infinity })
  readonly #running: Promise<void>[] = []
  readonly #requests = new Set<http.ClientRequest>()
  #stopping = false

  constructor(baseUrl: string, signing: SigningKey) {
    this.#baseUrl = baseUrl
    this.#signing = signing
  }

  /** Has `each` requests for reservations and as many for events wait for every connection. */
  start(connectionIds: readonly string[], each: number): void {
    const since = new Date().toISOString()
    for (const id of connectionIds) {
      for (let count = 0; count < each; count++) {
        this.#running.push(this.#repeat('/reservations', `property_id=${id}&updated_since=${since}`))
        this.#running.push(this.#repeat('/reservations/events', `property_id=${id}`))
      }
    }
  }

  /** Follows a feed from now on; returns the list to which the time from each change's stamp to its arrival is added, ms. */
  follow(connectionId: string): number[] {
    const latencies: number[] = []
    let since = new Date().toISOString()
    const one = async () => {
      const { status, text, at } = await this.#ask(
        '/reservations',
        `property_id=${connectionId}&updated_since=${since}`,
      )
      if (status !== 200) throw new Error(`${status}: ${text}`)
      for (const { updated_at } of (JSON.parse(text) as FeedPage).reservations) {
        const stamp = Date.parse(updated_at)
        latencies.push(at - stamp)
        since = new Date(stamp + 1).toISOString()
      }
    }
    const loop = async () => {
      while (!this.#stopping) await one().catch((error: unknown) => this.#unlessStopping(error))
    }
    this.#running.push(loop())
    return latencies
  }

  async stop(): Promise<void> {
    this.#stopping = true
    for (const request of this.#requests) request.destroy()
    await Promise.all(this.#running)
    this.#agent.destroy()
  }

  async #repeat(path: string, query: string): Promise<void> {
    while (!this.#stopping) {
      const answer = await this.#ask(path, query).catch((error: unknown) => this.#unlessStopping(error))
      if (answer && answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
    }
  }

  #unlessStopping(error: unknown): void {
    if (!this.#stopping) throw error
  }

  #ask(path: string, query: string): Promise<Answered> {
    const target = `${BASE_PATH}${path}?${query}&wait=${WAIT}`
    const headers = { ...signedHeaders('GET', BASE_PATH + path, '', this.#signing) }
    return new Promise((resolve, reject) => {
      const request = http.get(this.#baseUrl + target, { agent: this.#agent, headers }, (response) => {
        const at = Date.now()
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text, at })).once('error', reject)
      })
      this.#requests.add(request)
      request.once('close', () => this.#requests.delete(request)).once('error', reject)
    })
  }
}
