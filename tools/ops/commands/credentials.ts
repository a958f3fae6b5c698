// The calls for credentials.
import { scopes } from '@connectivity/contracts/scopes'
import type { Call, Flags } from '../command.ts'
import { ageAt, scopesOf } from '../texts.ts'
import { choice, idOf, time } from './flag-kinds.ts'

const credential = idOf('credential', 'cred_…')
const ofConnection: Flags = { 'connection-id': { value: 'con_…', says: 'the connection (property_id)', needed: true } }

export const credentials: readonly Call[] = [
  {
    verb: 'create',
    does: 'Issues a credential. Its secret is shown this once and never again.',
    method: 'POST',
    path: '/connections/{connection-id}/credentials',
    flags: {
      ...ofConnection,
      type: choice(['signing', 'oauth'], 'signed requests or an OAuth client', { needed: true }),
      scopes: { value: 'A,B', kind: 'list', oneOf: scopes, says: `of ${scopes.join(', ')}; all when absent` },
      'expires-at': time('when it ends, such as 2027-01-31T00:00:00Z; never when absent'),
      'own-connection-only': { says: "recommended: not for the application's other connections" },
    },
    example: 'con_… --type signing --scopes reservations:read,catalog:read --reason "pilot access"',
  },
  {
    verb: 'list',
    does: 'Lists the credentials of a connection with scopes and running rotation, without secrets.',
    method: 'GET',
    path: '/connections/{connection-id}/credentials',
    list: 'credentials',
    flags: ofConnection,
    columns: [
      ['credential', 'credential_id'],
      ['type', 'type'],
      ['key or client id', 'key_id', 'client_id'],
      ['scopes', 'scopes'],
      ['last used', 'last_used_at'],
      ['rotation ends', 'rotation.old_secret_ends_at'],
      ['expires', 'expires_at'],
      ['revoked', 'revoked_at'],
      ['own only', 'own_connection_only'],
    ],
    texts: { scopes: scopesOf, 'last used': ageAt('last_used_at') },
    example: 'con_…',
  },
  {
    verb: 'rotate',
    does: 'Gives it a second secret under the same id; the old one works on for the overlap.',
    method: 'POST',
    path: '/credentials/{id}/rotate',
    flags: {
      ...credential,
      'overlap-seconds': {
        value: 'N',
        kind: 'integer',
        says: '7 days when absent, 0 ends the old secret and its tokens at once',
      },
    },
    example: 'cred_… --overlap-seconds 86400 --reason "yearly rotation"',
  },
  {
    verb: 'revoke',
    does: 'Revokes it everywhere within a second, for good, with its tokens.',
    method: 'POST',
    path: '/credentials/{id}/revoke',
    flags: credential,
    example: 'cred_… --reason "key leaked, ticket 4711"',
  },
]
