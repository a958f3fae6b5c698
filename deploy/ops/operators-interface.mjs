// The only code here that talks to the service.

const PATIENCE = 30_000
const LARGEST_PAGE = 100

/** The service refused the call, or its answer was not understood. */
export class Refused extends Error {
  constructor(status, text, correlationId) {
    super(`the service answered ${status}`)
    Object.assign(this, { status, text, correlationId, error: errorOf(text) })
  }
}

/** The service could not be reached. */
export class Unreachable extends Error {}

const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const errorOf = (text) => parsed(text)?.error

const words = (error) => error.cause?.code ?? error.cause?.message ?? error.message

/** One gateway's operators' interface with one operator's token. */
export class OperatorsInterface {
  #base
  #token

  constructor({ base, token }) {
    this.#base = base
    this.#token = token
  }

  /** @returns `{ text, json }`; @throws Refused, Unreachable */
  async send({ method, path, query, body, key }) {
    const parameters = new URLSearchParams([...query].map(([name, value]) => [name, String(value)])).toString()
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    }
    const answer = await this.#fetch(`${path}${parameters && `?${parameters}`}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const json = parsed(answer.text)
    if (answer.ok && json?.schema_version !== undefined) return { text: answer.text, json }
    throw new Refused(answer.status, answer.text, answer.correlationId)
  }

  /**
   * Follows cursors to the end or until `limit` is reached; Infinity for everything. A single page is returned as it
   * is; several pages become one with all records and the other fields of the last page.
   * @param {string} noun of the records in the answer
   * @param {{ limit?: number, cursor?: string }} wanted without a limit: one page of the service's own size
   */
  async list(request, noun, { limit, cursor }) {
    const records = []
    for (let next = cursor, page; ; next = page.json.pagination.next_cursor) {
      const size = limit === undefined ? undefined : Math.min(LARGEST_PAGE, limit - records.length)
      page = await this.send({ ...request, query: paged(request.query, size, next) })
      const isOnly = records.length === 0
      records.push(...page.json[noun])
      if (page.json.pagination.next_cursor === null || limit === undefined || records.length >= limit) {
        return isOnly ? page : joined(page.json, noun, records)
      }
    }
  }

  async #fetch(target, options) {
    try {
      const signal = AbortSignal.timeout(PATIENCE)
      const answer = await fetch(this.#base + target, { ...options, redirect: 'manual', signal })
      const { ok, status, headers } = answer
      return { ok, status, correlationId: headers.get('x-correlation-id'), text: await answer.text() }
    } catch (error) {
      throw new Unreachable(`${this.#base} cannot be reached (${words(error)}); is it running and the address right?`)
    }
  }
}

const paged = (query, size, cursor) =>
  new Map([...query, ...(size === undefined ? [] : [['limit', size]]), ...(cursor ? [['cursor', cursor]] : [])])

function joined({ pagination, ...rest }, noun, records) {
  const count = records.length
  const json = { ...rest, [noun]: records, pagination: { ...pagination, limit: count, count } }
  return { json, text: JSON.stringify(json) }
}
