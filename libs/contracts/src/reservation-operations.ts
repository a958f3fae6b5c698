import { ProofWrite } from './digest.js'
import type { Operation } from './operation.js'

/** A digest waits up to 3 s for its turn and reads a million rows in 5 s on an idle machine, ms. */
const DIGEST_DEADLINE = 30_000

/** Calls about the feed: the pull itself, and calls with which partners check that they have everything. */
export const reservationOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/reservations',
    owner: 'reservation-feed',
    scope: 'reservations:read',
    rateClass: 'feed',
    property: 'query',
    parameters: ['updated_since', 'cursor', 'limit', 'wait'],
    waits: true,
    body: null,
  },
  {
    method: 'GET',
    path: '/reservations/{reservation_id}',
    owner: 'reservation-feed',
    scope: 'reservations:read',
    property: 'query',
    body: null,
  },
  {
    method: 'GET',
    path: '/reservations/{reservation_id}/timeline',
    owner: 'gateway',
    scope: 'reservations:read',
    property: 'query',
    body: null,
  },
  {
    method: 'GET',
    path: '/reservations/status',
    owner: 'reservation-feed',
    scope: 'reservations:read',
    property: 'query',
    body: null,
  },
  {
    method: 'GET',
    path: '/reservations/digest',
    owner: 'reservation-feed',
    scope: 'reservations:read',
    rateClass: 'digest',
    property: 'query',
    parameters: ['checkpoint', 'buckets'],
    body: null,
    headDeadline: DIGEST_DEADLINE,
  },
  {
    method: 'GET',
    path: '/reservations/digest/rows',
    owner: 'reservation-feed',
    scope: 'reservations:read',
    property: 'query',
    parameters: ['checkpoint', 'bucket', 'cursor', 'limit'],
    body: null,
    headDeadline: DIGEST_DEADLINE,
  },
  {
    method: 'POST',
    path: '/reservations/proofs',
    owner: 'reservation-feed',
    scope: 'reservations:read',
    property: 'body',
    body: ProofWrite,
    headDeadline: DIGEST_DEADLINE,
  },
]
