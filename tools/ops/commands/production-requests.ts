// The calls for production requests.
import type { Call, Fields } from '../command.ts'
import { choice, idOf } from './flag-kinds.ts'

/** How many items of the checklist are open. */
const openItems = ({ checklist }: Fields): unknown =>
  Array.isArray(checklist) ? checklist.filter((item: Fields) => item.state === 'open').length : null

const request = idOf('production request', 'prq_…')

export const productionRequests: readonly Call[] = [
  {
    verb: 'list',
    does: 'Lists production requests, newest first.',
    method: 'GET',
    path: '/production-requests',
    list: 'production_requests',
    flags: {
      state: choice(['submitted', 'approved', 'rejected'], 'only in this state'),
      'property-id': { value: 'con_…', says: 'only of this connection' },
    },
    columns: [
      ['request', 'request_id'],
      ['connection', 'property_id'],
      ['state', 'state'],
      ['open items', 'checklist'],
      ['contact', 'contact.email'],
      ['go live on', 'go_live_on'],
      ['submitted', 'submitted_at'],
      ['decided', 'decided_at'],
    ],
    texts: { 'open items': openItems },
    example: '--state submitted',
  },
  {
    verb: 'show',
    does: 'Shows a request with the checklist, and for each item when it was observed and in which request.',
    method: 'GET',
    path: '/production-requests/{id}',
    flags: request,
  },
  {
    verb: 'approve',
    does: 'Moves the connection from certification to production.',
    method: 'POST',
    path: '/production-requests/{id}/approve',
    flags: request,
    example: 'prq_… --reason "certified on 20 November"',
  },
  {
    verb: 'reject',
    does: 'Moves the connection back to pilot; the partner reads the reason.',
    method: 'POST',
    path: '/production-requests/{id}/reject',
    flags: request,
    example: 'prq_… --reason "Cancellations are not taken over; see your log of 20 November"',
  },
]
