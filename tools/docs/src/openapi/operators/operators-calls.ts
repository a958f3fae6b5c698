import { callbackStates } from '@connectivity/contracts/callbacks'
import { undeliveredStates } from '@connectivity/contracts/event-index'
import { connectionStates } from '@connectivity/contracts/connection-events'
import { deadLetterStates } from '@connectivity/contracts/dead-letters'
import {
  ChangeLimits,
  CreateApplication,
  CreateConnection,
  IssueCredential,
  IssuePortalLink,
  MoveConnection,
  OperatorChange,
  OperatorMappings,
  RedeliverReservations,
  RotateCredential,
} from '@connectivity/contracts/operators-api'
import { productionRequestStates } from '@connectivity/contracts/production'
import { authMethods } from '@connectivity/contracts/request-log'

/** A filter of a list: words to choose from, or any text. */
type Filter = readonly string[] | 'text'

/** A call of the operators' interface. */
export interface OperatorCall {
  method: 'GET' | 'POST' | 'PUT'
  /** Below `/ops/v1`. */
  path: string
  operationId: string
  summary: string
  body?: new () => object
  status?: 201 | 202
  /** Name of the answer's type in libs/contracts; null for an answer that is described elsewhere. */
  answer: string | null
  /** For a list: plural noun of its items, whose type is the `answer`. */
  list?: string
  filters?: Record<string, Filter>
  /** Whether the answer carries the ETag of mappings. */
  tagged?: true
}

const get = (path: string, operationId: string, summary: string, answer: string | null): OperatorCall => ({
  ...{ method: 'GET', path, operationId, summary, answer },
})
const list = (
  [path, noun]: readonly [path: string, noun: string],
  [operationId, summary]: readonly [id: string, summary: string],
  answer: string,
  filters: Record<string, Filter> = {},
): OperatorCall => ({ ...get(path, operationId, summary, answer), list: noun, filters })
const post = (
  path: string,
  [operationId, summary]: readonly [id: string, summary: string],
  answer: string,
  body: new () => object = OperatorChange,
  status?: 201 | 202,
): OperatorCall => ({ method: 'POST', path, operationId, summary, answer, body, ...(status && { status }) })

const switched = ['true', 'false'] as const

/** Every call of the operators' interface. */
export const operatorsCalls: readonly OperatorCall[] = [
  list(['/overview', 'connections'], ['listOverview', 'List what needs attention first'], 'OverviewRecord', {
    state: connectionStates,
    application_id: 'text',
    property_id: 'text',
    silent_for: 'text',
    failing: switched,
  }),
  list(['/applications', 'applications'], ['listApplications', 'List applications'], 'ApplicationRecord'),
  post('/applications', ['createApplication', 'Create an application'], 'ApplicationRecord', CreateApplication, 201),
  get('/applications/{id}', 'getApplication', 'Get an application', 'ApplicationRecord'),
  post('/applications/{id}/approve', ['approveApplication', 'Approve an application'], 'ApplicationRecord'),
  post('/applications/{id}/suspend', ['suspendApplication', 'Suspend an application'], 'ApplicationRecord'),
  {
    ...post('/applications/{id}/limits', ['changeLimits', 'Change rate limits'], 'ApplicationRecord', ChangeLimits),
    method: 'PUT',
  },
  list(
    ['/applications/{id}/portal-links', 'portal_links'],
    ['listPortalLinks', 'List portal links'],
    'PortalLinkRecord',
  ),
  post(
    '/applications/{id}/portal-links',
    ['issuePortalLink', 'Issue a portal link'],
    'IssuedPortalLink',
    IssuePortalLink,
    201,
  ),
  post('/portal-links/{id}/revoke', ['revokePortalLink', 'Revoke a portal link'], 'PortalLinkRecord'),
  list(['/connections', 'connections'], ['listConnections', 'List connections'], 'ConnectionRecord', {
    application_id: 'text',
    state: connectionStates,
    source_property_id: 'text',
    external_property_id: 'text',
    key_id: 'text',
  }),
  post('/connections', ['createConnection', 'Create a connection'], 'ConnectionRecord', CreateConnection, 201),
  get('/connections/{id}', 'getConnection', 'Get a connection', 'ConnectionRecord'),
  post('/connections/{id}/transitions', ['moveConnection', 'Move a connection'], 'ConnectionRecord', MoveConnection),
  list(
    ['/connections/{id}/problems', 'problems'],
    ['listProblems', 'List unresolved reservations'],
    'UnresolvedReservation',
  ),
  {
    ...post(
      '/connections/{id}/mappings',
      ['writeMappings', 'Write mappings of a connection'],
      'MappingsWritten',
      OperatorMappings,
    ),
    method: 'PUT',
    tagged: true,
  },
  get(
    '/connections/{id}/events/{event_id}/attempts',
    'listAttempts',
    'List attempts to deliver an event',
    'EventAttemptsRecord',
  ),
  get(
    '/connections/{id}/reservations/{reservation_id}/timeline',
    'getTimeline',
    'Get the timeline of a reservation',
    'TimelineRecord',
  ),
  get('/connections/{id}/delivery-status', 'getDeliveryStatus', 'Get the delivery status', 'DeliveryStatus'),
  post(
    '/connections/{id}/redeliver',
    ['redeliver', 'Redeliver reservations'],
    'RedeliveryAccepted',
    RedeliverReservations,
    202,
  ),
  list(['/connections/{id}/credentials', 'credentials'], ['listCredentials', 'List credentials'], 'CredentialRecord'),
  post(
    '/connections/{id}/credentials',
    ['issueCredential', 'Issue a credential'],
    'RevealedCredential',
    IssueCredential,
    201,
  ),
  post('/credentials/{id}/rotate', ['rotateCredential', 'Rotate a secret'], 'RevealedCredential', RotateCredential),
  post('/credentials/{id}/revoke', ['revokeCredential', 'Revoke a credential'], 'CredentialRecord'),
  list(['/production-requests', 'production_requests'], ['listRequests', 'List requests'], 'ProductionRequestRecord', {
    state: productionRequestStates,
    property_id: 'text',
  }),
  get('/production-requests/{id}', 'getRequest', 'Get a production request', 'ProductionRequestRecord'),
  post('/production-requests/{id}/approve', ['approveRequest', 'Approve a request'], 'ProductionRequestRecord'),
  post('/production-requests/{id}/reject', ['rejectRequest', 'Reject a request'], 'ProductionRequestRecord'),
  list(['/callbacks', 'callbacks'], ['listCallbacks', 'List callbacks'], 'CallbackRecord', {
    state: callbackStates,
    failing: switched,
  }),
  get('/callbacks/{id}', 'getCallback', 'Get a callback', 'CallbackRecord'),
  post('/callbacks/{id}/suspend', ['suspendCallback', 'Suspend a callback'], 'CallbackRecord'),
  post('/callbacks/{id}/resume', ['resumeCallback', 'Resume a callback'], 'CallbackRecord'),
  list(['/deliveries', 'deliveries'], ['listDeliveries', 'List deliveries that have not arrived'], 'DeliveryRecord', {
    property_id: 'text',
    state: undeliveredStates,
    failing: switched,
  }),
  list(['/dead-letters', 'dead_letters'], ['listDeadLetters', 'List dead letters'], 'DeadLetter', {
    service: 'text',
    topic: 'text',
    state: deadLetterStates,
  }),
  get('/dead-letters/{service}/{id}', 'getDeadLetter', 'Get a dead letter with its bytes', 'WholeDeadLetter'),
  post('/dead-letters/{service}/{id}/replay', ['replay', 'Replay a dead letter'], 'DeadLetter', undefined, 202),
  post('/dead-letters/{service}/{id}/discard', ['discard', 'Discard a dead letter'], 'DeadLetter'),
  list(['/requests', 'requests'], ['listRequestLog', 'List requests of partners'], 'LoggedRequestRecord', {
    application_id: 'text',
    property_id: 'text',
    since: 'text',
    until: 'text',
    status: 'text',
    code: 'text',
    method: 'text',
    path: 'text',
    correlation_id: 'text',
    auth_method: authMethods,
  }),
  get('/requests/{correlation_id}', 'getLoggedRequest', 'Get a request with what to do next', 'ExplainedRequest'),
  list(['/audit', 'entries'], ['listAudit', 'List changes'], 'AuditRecord', {
    subject: 'text',
    actor: 'text',
    from: 'text',
    to: 'text',
  }),
  get('/openapi.json', 'getDescription', 'Get this description', null),
]
