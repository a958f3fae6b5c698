// Client of the operators' API for the seed, benchmarks and tests of the whole system.
import type { CreateConnection, TransitionTarget } from '@connectivity/contracts/operators-api'
import { rateClasses } from '@connectivity/contracts/rate-limits'
import type { Pagination } from '@connectivity/contracts/reservation'
import type { SigningKey } from './partner.ts'

const UNLIMITED = { per_minute: 1_000_000, burst: 1_000_000 }

/** A property to connect an application to. */
export type WantedConnection = Pick<CreateConnection, 'application_id' | 'source_property_id' | 'external_property_id'>

/** A signing credential as it is issued. */
export interface IssuedSigning extends SigningKey {
  credential_id: string
}

/** Lists of the operators' API; a page has its records in the field of this name. */
type ListName = 'applications' | 'connections'

/** A page of a list. */
type Page<Item> = Record<ListName, Item[]> & { pagination: Pick<Pagination, 'next_cursor'> }

/** Sends calls with one operator's token. */
export class OperatorsApi {
  readonly #baseUrl: string
  readonly #token: string
  readonly #reason: string

  /**
   * @param baseUrl of the operators' interface, base path included
   * @param reason of every change, as the audit shows it
   */
  constructor(baseUrl: string, token: string, reason: string) {
    this.#baseUrl = baseUrl
    this.#token = token
    this.#reason = reason
  }

  /**
   * Sends one call; adds the reason to `body`, which every change must give.
   * @param path below the base path
   * @param key Idempotency-Key: repeating the call with it returns the first answer
   * @returns the answer's body
   * @throws Error with the status and the body of a refusal
   */
  async call<Answer>(method: string, path: string, body?: object, key?: string): Promise<Answer> {
    const answer = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      body: body && JSON.stringify({ reason: this.#reason, ...body }),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await answer.text()
    if (answer.ok) return JSON.parse(text) as Answer
    throw new Error(`${method} ${path} of the operators' API answered ${answer.status}: ${text}`)
  }

  /** Finds the record of a paged list that `matches`. */
  async find<Item>(path: string, noun: ListName, matches: (item: Item) => boolean): Promise<Item | undefined> {
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) })
      const url = `${path}${path.includes('?') ? '&' : '?'}${query}`
      const page: Page<Item> = await this.call('GET', url)
      const found = page[noun].find(matches)
      if (found) return found
      cursor = page.pagination.next_cursor
    }
    return undefined
  }

  /** Sets an application's rate limits so high that no load reaches them. */
  async liftLimits(application_id: string): Promise<void> {
    const limits = Object.fromEntries(rateClasses.map((name) => [name, UNLIMITED]))
    await this.call('PUT', `/applications/${application_id}/limits`, { limits })
  }

  /** Creates an application and approves it; returns its id. */
  async createApplication(name: string): Promise<string> {
    const body = { name, contact: { name, email: 'integration@example.com' } }
    const { application_id } = await this.call<{ application_id: string }>('POST', '/applications', body)
    await this.call('POST', `/applications/${application_id}/approve`, {})
    return application_id
  }

  /** Creates a sandbox connection and moves it to pilot; returns its id. */
  async connect(wanted: WantedConnection): Promise<string> {
    const body = { ...wanted, environment: 'sandbox' }
    const { property_id } = await this.call<{ property_id: string }>('POST', '/connections', body)
    await this.transition(property_id, 'pilot')
    return property_id
  }

  /** Moves a connection through the states, one after the other. */
  async transition(property_id: string, ...states: TransitionTarget[]): Promise<void> {
    for (const to of states) await this.call('POST', `/connections/${property_id}/transitions`, { to })
  }

  /** Issues a signing credential of a connection. */
  async issueSigning(property_id: string): Promise<IssuedSigning> {
    const path = `/connections/${property_id}/credentials`
    const { credential_id, key_id, signing_secret } = await this.call<IssuedSigning>('POST', path, { type: 'signing' })
    return { credential_id, key_id, signing_secret }
  }
}
