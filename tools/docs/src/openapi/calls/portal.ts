import type { PortalSession, PortalSignIn } from '@connectivity/contracts/portal'
import type { CallText } from '../call-text.js'
import { schema_version } from './samples.js'

const signIn = { token: 'q1Kx0mZyV3nW8sT5uR7bE2dF4gH6jL9pA1cB3vN5xM0' } satisfies PortalSignIn

const session = {
  schema_version,
  email: 'ada@pms.example.com',
  role: 'developer',
  expires_at: '2026-11-20T18:15:30.123Z',
} satisfies PortalSession

export const portalCalls: Record<string, CallText> = {
  'POST /portal/session': {
    operationId: 'signIn',
    tag: 'Portal',
    summary: 'Sign in to the portal',
    description:
      'Redeems a portal link, which works once, and sets the cookie of a session; only the portal’s pages use it. The cookie authenticates a person as a signature authenticates a program, for requests of the portal’s own pages: `Sec-Fetch-Site: same-origin`, and on changes `Origin` equal to this address. A `viewer` may read, a `developer` may also change. Requests of a person count neither as evidence for the pilot nor as progress of the feed.',
    requests: { link: { summary: 'The secret of a link', value: signIn } },
    answers: [
      {
        status: 201,
        description: 'The session has begun.',
        type: 'PortalSession',
        headers: ['Set-Cookie'],
        examples: { session: { summary: 'A session', value: session } },
      },
    ],
    errors: ['invalid_token', 'cross_site_request'],
  },
  'DELETE /portal/session': {
    operationId: 'signOut',
    tag: 'Portal',
    summary: 'Sign out of the portal',
    description: 'Ends the session of the cookie; its link does not work again.',
    answers: [
      { status: 204, description: 'The session has ended.', type: null, headers: ['Set-Cookie'], examples: {} },
    ],
    errors: ['invalid_signature', 'invalid_token', 'cross_site_request'],
  },
}
