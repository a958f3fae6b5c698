// The calls for connections.
import type { ConnectionState, Environment } from '@connectivity/contracts/connection-events'
import type { TransitionTarget } from '@connectivity/contracts/operators-api'
import type { Call } from '../command.ts'
import { choice, idOf } from './flag-kinds.ts'

const connection = idOf('connection (property_id)', 'con_…')
const environments: Environment[] = ['sandbox', 'production']
const states: ConnectionState[] = ['provisioning', 'pilot', 'certification_pending', 'production', 'disabled', 'closed']
const targets: TransitionTarget[] = ['pilot', 'certification_pending', 'production', 'disabled', 'enabled', 'closed']

export const connections: readonly Call[] = [
  {
    verb: 'create',
    does: 'Assigns a property to an application; it is provisioning until moved to pilot. An id that the booking engine has not named yet is accepted with a warning.',
    method: 'POST',
    path: '/connections',
    flags: {
      'application-id': { value: 'app_…', says: 'the application', needed: true },
      'source-property-id': { value: 'ID', says: "the booking engine's property id", needed: true },
      'external-property-id': { value: 'CODE', says: "the partner's own code of the property", needed: true },
      environment: choice(environments, 'the environment', { needed: true }),
    },
    example:
      '--application-id app_… --source-property-id prop_1 --external-property-id PMS-100 --environment sandbox --reason "pilot"',
  },
  {
    verb: 'list',
    does: 'Lists connections, newest first.',
    method: 'GET',
    path: '/connections',
    list: 'connections',
    flags: {
      'application-id': { value: 'app_…', says: 'only of this application' },
      state: choice(states, 'only in this state'),
      'source-property-id': { value: 'ID', says: 'only to this property of the booking engine' },
      'external-property-id': { value: 'CODE', says: "only with this code of the partner's" },
      'key-id': { value: 'key_…', says: 'only the one that this key or client was issued for' },
    },
    columns: [
      ['connection', 'property_id'],
      ['application', 'application_id'],
      ['property', 'source_property_id'],
      ['external id', 'external_property_id'],
      ['environment', 'environment'],
      ['state', 'state'],
      ['warnings', 'warnings'],
    ],
    example: '--state disabled --all',
  },
  { verb: 'show', does: 'Shows one connection.', method: 'GET', path: '/connections/{id}', flags: connection },
  {
    verb: 'problems',
    does: 'Lists the reservations that cannot be shown to its partner, and why.',
    method: 'GET',
    path: '/connections/{id}/problems',
    list: 'problems',
    flags: connection,
    columns: [
      ['reservation', 'reservation_id'],
      ['since', 'updated_at'],
      ['message', 'message'],
    ],
  },
  {
    verb: 'delivery-status',
    does: 'Shows how far its partner has come, and which reservations may reach it too late.',
    method: 'GET',
    path: '/connections/{id}/delivery-status',
    flags: connection,
  },
  {
    verb: 'transition',
    does: 'Moves it: provisioning → pilot → certification_pending → production; any → disabled → enabled (back to where it was); any → closed (final).',
    method: 'POST',
    path: '/connections/{id}/transitions',
    flags: {
      ...connection,
      to: choice(targets, 'the target state', { needed: true }),
      'public-reason': { value: 'TEXT', says: 'reason that the partner sees when disabled' },
    },
    example: 'con_… --to disabled --public-reason "Invoice overdue" --reason "ticket 4711"',
  },
  {
    verb: 'mappings-set',
    does: "Sets the partner's ids of rooms and rate plans, in any environment: all of them or none.",
    method: 'PUT',
    path: '/connections/{id}/mappings',
    needsOneOf: ['map', 'file'],
    flags: {
      ...connection,
      map: {
        value: 'TYPE:ID=EXTERNAL',
        kind: 'mapping',
        field: '/mappings',
        says: 'room or rate_plan, our id, the id of the partner (nothing after = unmaps); once for each',
      },
      file: {
        value: 'FILE',
        kind: 'mappings file',
        field: '/mappings',
        says: 'the same as JSON: [{"entity_type","service_id","external_id"}, …]',
      },
      'expected-version': { value: 'N', kind: 'integer', says: 'only if the mapping is at this version' },
    },
    example: 'con_… --map room:rm_double=DBL --map rate_plan:rp_flex=BAR --reason "ticket 4711"',
  },
  {
    verb: 'redeliver',
    does: 'Delivers reservations in the feed again, by their ids or by arrival; either bound may be left open.',
    method: 'POST',
    path: '/connections/{id}/redeliver',
    needsOneOf: ['reservation-ids', 'check-in-from', 'check-in-to'],
    flags: {
      ...connection,
      'reservation-ids': { value: 'A,B', kind: 'list', says: 'at most 1,000; unknown ones are skipped' },
      'check-in-from': { value: 'DATE', says: 'first day of arrival, such as 2026-12-01' },
      'check-in-to': { value: 'DATE', says: 'last day of arrival' },
    },
    example: 'con_… --check-in-from 2026-12-01 --check-in-to 2026-12-31 --reason "partner lost December"',
  },
]
