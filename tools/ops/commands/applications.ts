// The calls for applications.
import type { RateClass } from '@connectivity/contracts/rate-limits'
import type { Call, Flag } from '../command.ts'
import { idOf } from './flag-kinds.ts'

const application = idOf('application', 'app_…')
/** What each rate class counts; its flag has the same name. */
const rateClasses: Record<RateClass, string> = {
  feed: 'polls of reservations, for each connection',
  reads: 'other reads, for each credential',
  ari: 'writes of availability and rates, for each connection',
  mutations: 'other changes, for each connection',
  token: 'token requests, for each client',
  digest: 'digests of reservations, for each connection',
}
const rate = (name: string, counted: string): Flag => ({
  value: 'N/BURST',
  kind: 'rate',
  says: counted,
  field: `/limits/${name}`,
})

export const applications: readonly Call[] = [
  {
    verb: 'create',
    does: 'Registers a partner; it is pending until approved.',
    method: 'POST',
    path: '/applications',
    flags: {
      name: { value: 'TEXT', says: "the partner's software", needed: true },
      'contact-name': { value: 'TEXT', says: 'name of the contact', needed: true, field: '/contact/name' },
      'contact-email': { value: 'ADDRESS', says: 'email of the contact', needed: true, field: '/contact/email' },
    },
    example: '--name "Demo PMS" --contact-name "Ada Lovelace" --contact-email ada@example.com --reason "contract 4711"',
  },
  {
    verb: 'list',
    does: 'Lists applications, newest first.',
    method: 'GET',
    path: '/applications',
    list: 'applications',
    columns: [
      ['application', 'application_id'],
      ['name', 'name'],
      ['state', 'state'],
      ['contact', 'contact.email'],
      ['created', 'created_at'],
    ],
  },
  { verb: 'show', does: 'Shows one application.', method: 'GET', path: '/applications/{id}', flags: application },
  {
    verb: 'approve',
    does: 'Approves a pending application, which can then have credentials; resumes a suspended one.',
    method: 'POST',
    path: '/applications/{id}/approve',
    flags: application,
    example: 'app_… --reason "contract signed"',
  },
  {
    verb: 'suspend',
    does: 'Suspends it: its credentials get 401 at once, and its tokens end for good. Its callbacks go on.',
    method: 'POST',
    path: '/applications/{id}/suspend',
    flags: application,
    example: 'app_… --reason "invoice overdue"',
  },
  {
    verb: 'limits',
    does: 'Sets rate limits: N calls per minute and BURST calls at once; classes not named keep their limits.',
    method: 'PUT',
    path: '/applications/{id}/limits',
    flags: {
      ...application,
      ...Object.fromEntries(Object.entries(rateClasses).map(([name, counted]) => [name, rate(name, counted)])),
    },
    needsOneOf: Object.keys(rateClasses),
    example: 'app_… --feed 1200/120 --reason "large chain"',
  },
]
