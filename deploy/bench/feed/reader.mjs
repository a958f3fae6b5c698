// Requests pages from the feed as the gateway does, as fast as it answers.
import { createSecretKey } from 'node:crypto'
import { signIdentity } from '../../../libs/service-kit/dist/identity-token.js'
import { FEED_PATH, load } from '../load.mjs'

/** Makes an identity for each request, as the gateway does. */
export class Identities {
  #key

  constructor(key) {
    this.#key = createSecretKey(key)
  }

  of(connectionId, target) {
    const claims = {
      aud: 'reservation-feed',
      exp: Math.floor(Date.now() / 1000) + 30,
      application_id: 'app_bench',
      connection: { property_id: connectionId, external_property_id: 'PMS-1', state: 'production' },
      scopes: ['reservations:read'],
      correlation_id: 'bench-bench',
    }
    return signIdentity(this.#key, claims, { method: 'GET', target })
  }
}

/** The request for a page of a connection's feed. */
function pageOf(identities, { connectionId, query }) {
  const path = `${FEED_PATH}?property_id=${connectionId}&${query}`
  return { path, headers: { 'x-internal-identity': identities.of(connectionId, path) } }
}

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
