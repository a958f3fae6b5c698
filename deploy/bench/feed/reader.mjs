// Asks the feed for pages as the gateway does, as fast as it answers.
import { createSecretKey } from 'node:crypto'
import { signIdentity } from '../../../libs/service-kit/dist/identity-token.js'
import { FEED_PATH, load } from '../load.mjs'

const LIFETIME = 25_000

/** Identities by connection, each used until it is nearly over. */
export class Identities {
  #key
  #known = new Map()

  constructor(key) {
    this.#key = createSecretKey(key)
  }

  of(connectionId) {
    const known = this.#known.get(connectionId)
    if (known && known.until > Date.now()) return known.token
    const token = signIdentity(this.#key, {
      aud: 'reservation-feed',
      exp: Math.floor(Date.now() / 1000) + 30,
      application_id: 'app_bench',
      connection: { property_id: connectionId, external_property_id: 'PMS-1', state: 'production' },
      scopes: ['reservations:read'],
      method: 'GET',
      path: FEED_PATH,
      correlation_id: 'bench-bench',
    })
    this.#known.set(connectionId, { token, until: Date.now() + LIFETIME })
    return token
  }
}

/** The request for a page of a connection's feed. */
const pageOf = (identities, { connectionId, query }) => ({
  path: `${FEED_PATH}?property_id=${connectionId}&${query}`,
  headers: { 'x-internal-identity': identities.of(connectionId) },
})

/** One page, parsed. */
export async function readPage({ origin, identities }, connectionId, query) {
  const { path, headers } = pageOf(identities, { connectionId, query })
  const answer = await fetch(origin + path, { headers })
  return { status: answer.status, body: await answer.json() }
}

/**
 * Reads pages for a while.
 * @param draw gives `{ connectionId, query }` of the next one
 * @returns as `load` does
 */
export const readPages = ({ origin, identities }, draw, seconds) =>
  load(origin, () => pageOf(identities, draw()), seconds)
