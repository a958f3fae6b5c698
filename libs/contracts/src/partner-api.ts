import { AriWrite } from './ari.js'
import { AcknowledgementsWrite, EventsReplay } from './event-index.js'
import { callbackOperations } from './callback-operations.js'
import { MappingsWrite } from './mappings.js'
import { mutationRules } from './mutation-rules.js'
import type { Operation } from './operation.js'
import { PORTAL_SESSION_PATH, PortalSignIn } from './portal.js'
import { RequestProduction } from './production.js'
import { requestFilters } from './request-log.js'
import { reservationOperations } from './reservation-operations.js'

/** Base path of the partner interface. */
export const BASE_PATH = '/api/connectivity/v1'

/** Longest body of any request, bytes. */
export const MAX_BODY_BYTES = 1024 * 1024
/** Longest body of a request whose operation takes neither a list nor another body, bytes. */
const SMALL_BODY_BYTES = 16 * 1024

/** Where OAuth clients obtain access tokens. */
export const TOKEN_PATH = '/oauth/token'

/** Every call of the partner interface. */
export const operations: readonly Operation[] = [
  {
    method: 'POST',
    path: TOKEN_PATH,
    owner: 'gateway',
    scope: null,
    property: null,
    body: null,
    open: true,
  },
  {
    method: 'POST',
    path: PORTAL_SESSION_PATH,
    owner: 'gateway',
    scope: null,
    property: null,
    body: PortalSignIn,
    open: true,
  },
  {
    method: 'DELETE',
    path: PORTAL_SESSION_PATH,
    owner: 'gateway',
    scope: null,
    property: null,
    body: null,
    open: true,
  },
  { method: 'GET', path: '/properties', owner: 'gateway', scope: null, property: null, body: null },
  { method: 'GET', path: '/auth/health', owner: 'gateway', scope: null, property: null, body: null },
  {
    method: 'GET',
    path: '/requests',
    owner: 'gateway',
    scope: 'reservations:read',
    property: null,
    parameters: ['property_id', ...requestFilters, 'cursor', 'limit'],
    body: null,
  },
  {
    method: 'GET',
    path: '/requests/{correlation_id}',
    owner: 'gateway',
    scope: 'reservations:read',
    property: null,
    body: null,
  },
  { method: 'GET', path: '/openapi.json', owner: 'gateway', scope: null, property: null, body: null },
  { method: 'GET', path: '/catalog/rooms', owner: 'catalog', scope: 'catalog:read', property: 'query', body: null },
  {
    method: 'GET',
    path: '/catalog/rate-plans',
    owner: 'catalog',
    scope: 'catalog:read',
    property: 'query',
    body: null,
  },
  {
    method: 'GET',
    path: '/properties/{id}/mappings',
    owner: 'catalog',
    scope: 'mappings:read',
    property: 'path',
    body: null,
  },
  {
    method: 'POST',
    path: '/properties/{id}/mappings',
    owner: 'catalog',
    scope: 'mappings:write',
    property: 'path',
    body: MappingsWrite,
    rule: mutationRules.mappings,
    largeBody: true,
  },
  ...reservationOperations,
  {
    method: 'GET',
    path: '/reservations/events',
    owner: 'event-dispatch',
    scope: 'events:read',
    property: 'query',
    parameters: ['status', 'state', 'order', 'after_sequence', 'cursor', 'limit', 'wait'],
    waits: true,
    body: null,
  },
  {
    method: 'GET',
    path: '/reservations/events/{event_id}/attempts',
    owner: 'event-dispatch',
    scope: 'events:read',
    property: 'query',
    body: null,
  },
  {
    method: 'POST',
    path: '/reservations/events/replay',
    owner: 'event-dispatch',
    scope: 'callbacks:manage',
    property: 'body',
    body: EventsReplay,
    rule: mutationRules.replay,
    largeBody: true,
  },
  {
    method: 'POST',
    path: '/reservations/ack',
    owner: 'event-dispatch',
    scope: 'events:ack',
    property: 'body',
    body: AcknowledgementsWrite,
    largeBody: true,
  },
  {
    method: 'GET',
    path: '/production/request',
    owner: 'gateway',
    scope: 'production:request',
    property: 'query',
    body: null,
  },
  {
    method: 'POST',
    path: '/production/request',
    owner: 'gateway',
    scope: 'production:request',
    property: 'body',
    body: RequestProduction,
  },
  {
    method: 'POST',
    path: '/ari',
    owner: 'ari',
    scope: 'ari:write',
    rateClass: 'ari',
    property: 'body',
    parameters: ['dry_run'],
    body: AriWrite,
    rule: mutationRules.ari,
    largeBody: true,
  },
  {
    method: 'GET',
    path: '/ari',
    owner: 'ari',
    scope: 'ari:read',
    property: 'query',
    parameters: ['date_from', 'date_to', 'external_room_id', 'external_rate_plan_id'],
    body: null,
  },
  ...callbackOperations,
]

/** Longest body of a request, bytes; an unknown call counts as one without `largeBody`. */
export const maxBodyBytesOf = (operation: Operation | null): number =>
  operation?.largeBody ? MAX_BODY_BYTES : SMALL_BODY_BYTES
