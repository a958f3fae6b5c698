// The calls for links with which partners' people sign in to the portal.
import type { Call } from '../command.ts'
import { ageAt } from '../texts.ts'
import { choice, idOf } from './flag-kinds.ts'

export const portalLinks: readonly Call[] = [
  {
    verb: 'create',
    does: 'Issues a link for one person. It works once, for 15 minutes unless the gateway says otherwise, and is shown this once.',
    method: 'POST',
    path: '/applications/{id}/portal-links',
    flags: {
      ...idOf('application', 'app_…'),
      email: { value: 'ADDRESS', says: 'whom it is for; changes are audited under it', needed: true },
      role: choice(['viewer', 'developer'], 'look, or look and change', { needed: true }),
    },
    example: 'app_… --email ada@pms.example.com --role developer --reason "maps the rooms"',
  },
  {
    verb: 'list',
    does: 'Lists the links of an application, newest first, with their sessions.',
    method: 'GET',
    path: '/applications/{id}/portal-links',
    list: 'portal_links',
    flags: idOf('application', 'app_…'),
    columns: [
      ['link', 'portal_link_id'],
      ['email', 'email'],
      ['role', 'role'],
      ['created', 'created_at'],
      ['used', 'used_at'],
      ['last seen', 'session.last_seen_at'],
      ['session ends', 'session.expires_at'],
      ['session ended', 'session.ended_at'],
      ['revoked', 'revoked_at'],
    ],
    texts: { 'last seen': ageAt('session.last_seen_at') },
    example: 'app_…',
  },
  {
    verb: 'revoke',
    does: 'Ends a link and its session everywhere within a second.',
    method: 'POST',
    path: '/portal-links/{id}/revoke',
    flags: idOf('portal link', 'plk_…'),
    example: 'plk_… --reason "left the company"',
  },
]
