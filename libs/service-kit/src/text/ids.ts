import { v7 } from 'uuid'

/**
 * Prefixes of application, audit entry, OAuth client, connection, credential, event, signing key, portal link,
 * production request, redelivery, replay, risk.
 */
export type IdPrefix = 'app' | 'aud' | 'cli' | 'con' | 'cred' | 'evt' | 'key' | 'plk' | 'prq' | 'rdl' | 'rpl' | 'rsk'

/**
 * Makes an id of prefix and UUIDv7 (RFC 9562), so that ids sort by time.
 * @param random 16 random bytes, from callers that draw many ids at once
 */
export const newId = (prefix: IdPrefix, random?: Uint8Array): string =>
  `${prefix}_${v7(random && { random }).replaceAll('-', '')}`

/** Whether a text has the form of our ids; any other is unknown without a database query. */
export const isId = (text: string): boolean => /^[a-z]{2,8}_[A-Za-z0-9]{1,64}$/.test(text)
