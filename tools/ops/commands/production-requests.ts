// The calls for production requests.
import type { Call } from '../command.ts'
import { choice, idOf } from './flag-kinds.ts'

const request = idOf('production request', 'prq_…')

export const productionRequests: readonly Call[] = [
  {
    verb: 'list',
    does: 'Lists production requests, oldest first.',
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
      ['contact', 'contact.email'],
      ['go live on', 'go_live_on'],
      ['submitted', 'submitted_at'],
      ['decided', 'decided_at'],
    ],
    example: '--state submitted',
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
