// Client of the operators' API for the seed, benchmarks and tests of the whole system (API: operations.md §1).
const UNLIMITED = { per_minute: 1_000_000, burst: 1_000_000 }

export class OperatorsApi {
  #baseUrl
  #token

  constructor(baseUrl, token) {
    this.#baseUrl = baseUrl
    this.#token = token
  }

  /**
   * Sends one call; adds the reason that every change must give to `body`. Throws the text of the error body.
   * @param {string} [key] Idempotency-Key: repeating the call with it returns the first answer
   */
  async call(method, path, body, key) {
    const answer = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      body: body && JSON.stringify({ reason: 'seed of the local stack', ...body }),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await answer.text()
    if (answer.ok) return JSON.parse(text)
    throw new Error(`${method} ${path} of the operators' API answered ${answer.status}: ${text}`)
  }

  /** Looks through a paged list for the record that `matches`. */
  async find(path, noun, matches) {
    for (let cursor = ''; cursor !== null;) {
      const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) })
      const page = await this.call('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`)
      const found = page[noun].find(matches)
      if (found) return found
      cursor = page.pagination.next_cursor
    }
    return undefined
  }

  /** Sets an application's rate limits so high that no load reaches them. */
  async liftLimits(application_id) {
    const limits = Object.fromEntries(['feed', 'reads', 'ari', 'mutations', 'token'].map((name) => [name, UNLIMITED]))
    await this.call('PUT', `/applications/${application_id}/limits`, { limits })
  }

  /**
   * Creates a sandbox connection and moves it to pilot; returns its id.
   * @param {{ application_id: string, source_property_id: string, external_property_id: string }} wanted
   */
  async connect(wanted) {
    const { property_id } = await this.call('POST', '/connections', { ...wanted, environment: 'sandbox' })
    await this.transition(property_id, 'pilot')
    return property_id
  }

  /** Moves a connection through the states, one after the other. */
  async transition(property_id, ...states) {
    for (const to of states) await this.call('POST', `/connections/${property_id}/transitions`, { to })
  }

  /** Issues a signing credential of a connection. */
  async issueSigning(property_id) {
    const issued = await this.call('POST', `/connections/${property_id}/credentials`, { type: 'signing' })
    const { credential_id, key_id, signing_secret } = issued
    return { credential_id, key_id, signing_secret }
  }
}
