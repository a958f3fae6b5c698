// Requests pages from the feed as the gateway does, as fast as it answers.
import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Identity } from '@connectivity/contracts/identity'
import type { FeedDigest } from '@connectivity/contracts/digest'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { identityHeaders } from '@connectivity/service-kit/identity'
import { FEED_PATH, load, type Poll, type Seen } from '../load.ts'

/** Makes an identity for each request, as the gateway does. */
export class Identities {
  readonly #key: KeyObject
  readonly #actor: string | undefined

  /** @param actor e-mail of a person in the portal, instead of a partner's software */
  constructor(key: Buffer, actor?: string) {
    this.#key = createSecretKey(key)
    this.#actor = actor
  }

  of(connectionId: string, target: string): Record<string, string> {
    const claims = {
      aud: 'reservation-feed',
      exp: Math.floor(Date.now() / 1000) + 30,
      application_id: 'app_bench',
      connection: { property_id: connectionId, external_property_id: 'PMS-1', state: 'production' },
      scopes: ['reservations:read'],
      correlation_id: 'bench-bench',
      ...(this.#actor !== undefined && { actor: this.#actor }),
    } satisfies Partial<Identity>
    return identityHeaders(this.#key, claims, { method: 'GET', target })
  }
}

/** Access to the feed. */
export interface FeedAddress {
  origin: string
  identities: Identities
}

/** A page of a connection's feed. */
export interface WantedPage {
  connectionId: string
  /** Without `property_id`. */
  query: string
}

function requestOf(identities: Identities, { connectionId, query }: WantedPage, call = ''): Poll {
  const path = `${FEED_PATH}${call}?property_id=${connectionId}&${query}`
  return { path, headers: identities.of(connectionId, path) }
}

/** Reads and parses one page. */
export async function readPage({ origin, identities }: FeedAddress, wanted: WantedPage): Promise<FeedPage> {
  const { path, headers } = requestOf(identities, wanted)
  const answer = await fetch(origin + path, { headers })
  return (await answer.json()) as FeedPage
}

/** Asks for a digest; anything but 200 throws. */
export async function readDigest({ origin, identities }: FeedAddress, wanted: WantedPage): Promise<FeedDigest> {
  const { path, headers } = requestOf(identities, wanted, '/digest')
  const answer = await fetch(origin + path, { headers })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`)
  return JSON.parse(text) as FeedDigest
}

/**
 * Reads pages for a while.
 * @param draw returns the next page to read
 */
export const readPages = (
  { origin, identities }: FeedAddress,
  draw: () => WantedPage,
  seconds: number,
): Promise<Seen> => load(origin, () => requestOf(identities, draw()), seconds)
