import type { ErrorCode } from '@connectivity/contracts/errors'
import { detail, type Explained } from './explanation.js'

/** Refusals by the rules of a single call. */
export const domain = {
  mapping_write_forbidden: {
    meaning: 'Only operations may change the mapping of this connection.',
    cause: 'Mappings of production connections are provisioned by operations.',
    action: 'Ask operations for the change.',
    message: 'Mappings of a production connection are provisioned by operations; ask them for this change.',
  },
  entity_not_found: {
    meaning: 'A room or rate plan to be mapped does not exist.',
    cause: 'A `service_id` that the catalog does not list, or an archived one.',
    action: 'Take ids from `GET /catalog/rooms` and `GET /catalog/rate-plans`. Nothing was written.',
    message: 'There is no such room or rate plan in the catalog of this property; nothing was written.',
    details: [
      detail('/mappings/0/service_id', 'entity_not_found', 'rm_missing is not an active room of this property.'),
    ],
  },
  mapping_conflict: {
    meaning: 'Two entities would have the same external id.',
    cause: 'The `external_id` is taken by another entity of the same type.',
    action: 'Unmap the other one in the same request, or use another id. Nothing was written.',
    message: 'This external id is taken by another room; nothing was written.',
    details: [detail('/mappings/0/external_id', 'mapping_conflict', 'DBL is the external id of rm_twin.')],
  },
  version_conflict: {
    meaning: 'The mapping changed since you read it.',
    cause: '`expected_version` is not the current version.',
    action: 'Read the mappings again and repeat your change.',
    message: 'The mapping is at version 13; read it again and repeat your change.',
  },
  accommodation_unresolved: {
    meaning: 'A reservation could not be normalised.',
    cause: 'An unknown room, no lines, impossible dates, quantity or currency in the booking.',
    action:
      'A feed page lists it in `errors[]` and still answers 200: process the page and go on. Send operations the `reservation_id`. Once the booking is corrected, it arrives as a reservation.',
    message: 'This reservation could not be normalised; tell operations its reservation_id.',
    details: [
      {
        ...detail(
          '/accommodation/0/external_room_id',
          'room_unknown',
          'This reservation could not be normalised; tell operations its reservation_id.',
        ),
        updated_at: '2026-11-20T10:20:00.002Z',
      },
    ],
  },
  checkpoint_too_old: {
    meaning: 'Too much has changed since the checkpoint for a digest.',
    cause: 'More than 1,000 reservations have an `updated_at` after it.',
    action: 'Pull the feed to its end, then ask with the new checkpoint.',
    message:
      'More than 1,000 reservations have changed since this checkpoint: pull the feed to its end, then ask with the new checkpoint.',
  },
  events_expired: {
    meaning: 'Events after your position are gone.',
    cause: 'The index keeps 30 days.',
    action: 'Synchronise with the pull feed, then go on from the newest sequence.',
    message: 'Events after this sequence have expired; synchronise with GET /reservations.',
  },
  checklist_incomplete: {
    meaning: 'Some items of the pilot checklist are open.',
    cause: '`details` names each open item.',
    action: 'Do what `next_step` of `GET /production/request` says, then request again.',
    message: 'The pilot checklist has open items; GET /production/request says what to do for each.',
    details: [
      detail(
        '/checklist/5',
        'cancellation_seen',
        'Have a test booking cancelled, then poll with updated_since set to your checkpoint until it appears as cancelled.',
      ),
    ],
  },
  request_already_open: {
    meaning: 'A production request is waiting for its decision.',
    cause: 'You requested production before.',
    action: 'Wait; watch it with `GET /production/request`.',
    message: 'A production request of this connection is waiting for its decision.',
  },
  already_in_production: {
    meaning: 'The connection is in production.',
    cause: 'The connection went live before.',
    action: 'Do nothing: the connection is live.',
    message: 'This connection is in production already.',
  },
  ari_rejected: {
    meaning: 'At least one update breaks a rule; nothing was written.',
    cause: 'Unknown rooms or plans, dates, amounts, occupancies or restrictions outside what the property allows.',
    action:
      '`details` names every fault (up to 100, then `details_truncated`): fix them all and send the whole request again.',
    message: 'Nothing was written: 1 fault in the updates.',
    details: [detail('/updates/0/date_from', 'date_in_past', 'Today is 2026-11-20 at the property.')],
  },
  currency_required: {
    meaning: 'The request has rates and no currency; nothing was written.',
    cause: '`currency` is absent or null in a request with rates. The service never assumes a default.',
    action: 'Send `currency`, the ISO 4217 code of the rate plan.',
    message: 'Nothing was written: name the currency of the rates.',
    details: [detail('/currency', 'currency_required', 'Rates need their currency.')],
  },
  currency_mismatch: {
    meaning: 'The currency differs from the rate plan’s; nothing was written.',
    cause: '`currency` differs from the one that `GET /catalog/rate-plans` shows.',
    action: 'Send amounts in the rate plan’s currency.',
    message: 'Nothing was written: the rate plan is sold in EUR.',
    details: [detail('/currency', 'currency_mismatch', 'The rate plan is sold in EUR.')],
  },
  callback_unreachable: {
    meaning: 'The callback address did not answer the challenge, or may not be called.',
    cause:
      'The signed challenge was not answered with 2xx and the same `challenge` within 15 s, or the address may not be called (`blocked_address`).',
    action: 'See the [events guide](events.md); the address stays as it was.',
    message: 'The address did not answer the challenge; nothing was changed.',
  },
} satisfies Partial<Record<ErrorCode, Explained>>

/** Errors that only operators get. */
export const operators = {
  insufficient_role: {
    meaning: 'The operator’s token does not allow this.',
    cause: 'The claim `roles` lacks `connectivity:operate` (or `connectivity:read`).',
    action: 'Use a token with that role.',
    message: 'This needs the role connectivity:operate.',
  },
  application_not_approved: {
    meaning: 'The application is not approved.',
    cause: 'It is pending or suspended.',
    action: 'Approve it first.',
    message: 'This application is not approved; approve it first.',
  },
  credential_revoked: {
    meaning: 'The credential is revoked for good.',
    cause: 'A rotation of a revoked credential.',
    action: 'Issue a new one.',
    message: 'This credential is revoked; issue a new one.',
  },
} satisfies Partial<Record<ErrorCode, Explained>>
