/** Rights of credentials. A credential issued without scopes has all of them. */
export const scopes = [
  'reservations:read',
  'events:read',
  'events:ack',
  'catalog:read',
  'mappings:read',
  'mappings:write',
  'ari:read',
  'ari:write',
  'callbacks:manage',
  'production:request',
] as const
/** A right of a credential. */
export type Scope = (typeof scopes)[number]
