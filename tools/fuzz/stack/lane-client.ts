// Calls that prepare a lane: requests that have to succeed.
import type { Answer, Request } from '../model/request.ts'
import { FRESH_KEY } from '../model/request.ts'
import type { Partner } from './partner.ts'
import type { PortalPerson } from './portal-person.ts'
import type { Signing } from './signatures.ts'

/** A reservation of the feed, as far as preparations look at it. */
export interface FeedRow {
  reservation_id: string
  updated_at: string
  accommodation: { external_room_id: string | null }[]
}

export class LaneClient {
  readonly connectionId: string
  private readonly partner: Partner
  private readonly signing: Signing
  private readonly person: PortalPerson

  constructor(partner: Partner, connectionId: string, signing: Signing, person: PortalPerson) {
    this.partner = partner
    this.connectionId = connectionId
    this.signing = signing
    this.person = person
  }

  /** Sends a request with the lane's values in the place of placeholders. */
  send(request: Request): Promise<Answer> {
    return this.partner.send(this.person.filled(request), this.signing)
  }

  /** GET with the connection's property_id and more; the body of a 200. */
  async read<T>(path: string, query: Record<string, string> = {}): Promise<T> {
    const parameters = new URLSearchParams({ property_id: this.connectionId, ...query })
    const { status, text } = await this.get(`${path}?${parameters}`)
    if (status === 200) return JSON.parse(text) as T
    throw new Error(`GET ${path} answered ${status}: ${text}`)
  }

  /** GET of a path with its query; returns any answer. */
  get(path: string): Promise<Answer> {
    return this.send({ method: 'GET', path, headers: {}, body: null, signature: 'good' })
  }

  /** POST or PUT with a key of its own; the body of a 2xx. */
  async write<T>(method: 'POST' | 'PUT', path: string, document: object): Promise<T> {
    const headers = { 'idempotency-key': FRESH_KEY, 'content-type': 'application/json' }
    const body = JSON.stringify(document)
    const { status, text } = await this.send({ method, path, headers, body, signature: 'good' })
    if (status < 300) return JSON.parse(text) as T
    throw new Error(`${method} ${path} answered ${status}: ${text}`)
  }

  /** All pages of the feed; nothing while the connection is being filled. */
  async feed(query: Record<string, string> = {}): Promise<FeedRow[]> {
    const rows: FeedRow[] = []
    for (let cursor: Record<string, string> = {}; ;) {
      const parameters = new URLSearchParams({ property_id: this.connectionId, limit: '100', ...query, ...cursor })
      const { status, text } = await this.get(`/reservations?${parameters}`)
      if (status !== 200) return []
      const { reservations, pagination } = JSON.parse(text)
      rows.push(...reservations)
      if (!pagination.has_more) return rows
      cursor = { cursor: pagination.next_cursor }
    }
  }
}
