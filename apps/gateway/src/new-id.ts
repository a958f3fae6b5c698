import { v7 } from 'uuid'

/** Prefixes of connection, application, signing key, OAuth client, credential, audit entry, production request. */
export type IdPrefix = 'con' | 'app' | 'key' | 'cli' | 'cred' | 'aud' | 'prq'

/** Prefix and UUIDv7 (RFC 9562), so that ids sort by time. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${v7().replaceAll('-', '')}`
