// The operators' API as the seed uses it (operations.md §1 describes all of it).
export class OperatorsApi {
  #baseUrl
  #token

  constructor(baseUrl, token) {
    this.#baseUrl = baseUrl
    this.#token = token
  }

  /**
   * Sends one call; `body` gets the reason every change must give. Throws the error body's words.
   * @param {string} [key] Idempotency-Key: the same call with it gets the first one's answer
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
}
