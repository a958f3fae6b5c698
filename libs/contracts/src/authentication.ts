import type { Integer, Timestamp } from './field-types.js'
import type { Scope } from './scopes.js'

/** Who is authenticated, how, and what for. */
export interface AuthHealth {
  schema_version: string
  status: 'ok'
  auth_method: 'signature' | 'bearer'
  /** Of a signing credential; absent with a bearer token. */
  key_id?: string
  /** Of an OAuth client; absent with signed requests. */
  client_id?: string
  scopes: readonly Scope[]
  /** As GET /properties lists them. */
  property_ids: string[]
  server_time: Timestamp
  /** Server minus client in seconds; null with a bearer token, which tells no time. */
  clock_skew_seconds: Integer | null
  credential: {
    created_at: Timestamp
    /** Null: does not expire. */
    expires_at: Timestamp | null
    /** While two secrets are valid: when the older one ends. */
    rotation: { old_secret_ends_at: Timestamp } | null
  }
}

/** An access token, RFC 6749 §5.1. */
export interface AccessToken {
  schema_version: string
  /** Opaque; send it as `Authorization: Bearer <access_token>`. */
  access_token: string
  token_type: 'Bearer'
  /** Seconds. */
  expires_in: Integer
  /** What the token may do, separated by spaces. */
  scope: string
}

/** The client-credentials grant, RFC 6749 §4.4.2. Unknown parameters are ignored, an empty one counts as absent. */
export interface TokenRequest {
  grant_type: 'client_credentials'
  /** Unless the client authenticates with HTTP basic. */
  client_id?: string
  /** Unless the client authenticates with HTTP basic; never in the address. */
  client_secret?: string
  /** A part of the client's scopes, separated by spaces; all of them when absent. */
  scope?: string
}
