import type { Integer, PropertyId, SchemaVersion, Timestamp } from './field-types.js'
import type { PortalRole } from './portal.js'
import type { Scope } from './scopes.js'

/** The authenticated caller, its credential and its rights. */
export interface AuthHealth {
  schema_version: SchemaVersion
  /** Always `ok`: a request that is not authenticated answers 401. */
  status: 'ok'
  /** How this request was authenticated. */
  auth_method: 'signature' | 'bearer' | 'portal'
  /** Id of the signing key; absent with a bearer token. */
  key_id?: string
  /** Id of the OAuth client; absent with signed requests. */
  client_id?: string
  /**
   * E-mail address of the portal's user; only with a session of the portal.
   * @maxLength 254
   */
  email?: string
  /** Role of that person; only with a session of the portal. */
  role?: PortalRole
  /** When the session ends; only with a session of the portal. */
  session_expires_at?: Timestamp
  /** Scopes of the credential. */
  scopes: readonly Scope[]
  /** Connections that the credential may use, as GET /properties lists them. */
  property_ids: PropertyId[]
  /** The service's clock. */
  server_time: Timestamp
  /** Server minus client in seconds; null with a bearer token or a session, which carry no timestamp. */
  clock_skew_seconds: Integer | null
  /** The credential of this request; null with a session of the portal. */
  credential: UsedCredential | null
}

/**
 * A credential as its owner sees it, without its secret.
 * @public The description of the interface has it by its name.
 */
export interface UsedCredential {
  /** When it was issued. */
  created_at: Timestamp
  /** When it ends; null while it does not expire. */
  expires_at: Timestamp | null
  /** Set while two secrets are valid. */
  rotation: SecretRotation | null
}

/**
 * A rotation in progress: both secrets are valid.
 * @public The description of the interface has it by its name.
 */
export interface SecretRotation {
  /** When the older secret ends. */
  old_secret_ends_at: Timestamp
}

/** An access token, RFC 6749 §5.1. */
export interface AccessToken {
  schema_version: SchemaVersion
  /** Opaque; send it as `Authorization: Bearer <access_token>`. */
  access_token: string
  /** Always `Bearer`. */
  token_type: 'Bearer'
  /** Seconds for which the token is valid. */
  expires_in: Integer
  /** Scopes of the token, separated by spaces. */
  scope: string
}

/** The client-credentials grant, RFC 6749 §4.4.2. Unknown parameters are ignored, an empty one counts as absent. */
export interface TokenRequest {
  /** Always `client_credentials`. */
  grant_type: 'client_credentials'
  /** Client id; absent if the client authenticates with HTTP basic. */
  client_id?: string
  /** Client secret; absent if the client authenticates with HTTP basic. Never put it into the URL. */
  client_secret?: string
  /** A subset of the client's scopes, separated by spaces; all of them when absent. */
  scope?: string
}
