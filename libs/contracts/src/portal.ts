import type { SchemaVersion, Timestamp } from './field-types.js'
import { type Scope, scopes } from './scopes.js'
import { Line } from './validation.js'

/** Roles of people in the portal: read, or read and change. */
export const portalRoles = ['viewer', 'developer'] as const
/** Role of a person in the portal: `viewer` reads, `developer` reads and changes. */
export type PortalRole = (typeof portalRoles)[number]

/** Scopes of a session by its role. */
export const portalScopes: Readonly<Record<PortalRole, readonly Scope[]>> = {
  viewer: ['reservations:read', 'events:read', 'catalog:read', 'mappings:read', 'ari:read'],
  developer: scopes,
}

/** Where the browser signs in and out. */
export const PORTAL_SESSION_PATH = '/portal/session'

const MAX_TOKEN = 128

/** Body that the page behind a portal link sends. */
export class PortalSignIn {
  /** The part of the link's URL after `#`. It works once. */
  @Line(MAX_TOKEN)
  token: string
}

/** A person's session in the portal. Its only secret is the cookie. */
export interface PortalSession {
  schema_version: SchemaVersion
  /**
   * E-mail address of the person the link was made for.
   * @maxLength 254
   */
  email: string
  /** Role of the person. */
  role: PortalRole
  /** When the session ends at the latest; it is not prolonged by use. */
  expires_at: Timestamp
}
