import type { ErrorCode } from '@connectivity/contracts/errors'
import type { Explained } from './explanation.js'

/** Refusals by the rules of a single call. */
export const domain = {
  mapping_write_forbidden: {
    meaning: 'Only operations may change the mapping of this connection.',
    cause: 'Mappings of production connections are provisioned by operations.',
    action: 'Ask operations for the change.',
  },
  entity_not_found: {
    meaning: 'A room or rate plan to be mapped does not exist.',
    cause: 'A `service_id` that the catalog does not list, or an archived one.',
    action: 'Take ids from `GET /catalog/rooms` and `GET /catalog/rate-plans`. Nothing was written.',
  },
  mapping_conflict: {
    meaning: 'Two entities would have the same external id.',
    cause: 'The `external_id` is taken by another entity of the same type.',
    action: 'Unmap the other one in the same request, or use another id. Nothing was written.',
  },
  version_conflict: {
    meaning: 'The mapping changed since you read it.',
    cause: '`expected_version` is not the current version.',
    action: 'Read the mappings again and repeat your change.',
  },
  accommodation_unresolved: {
    meaning: 'A reservation could not be normalised.',
    cause: 'An unknown room, no lines, impossible dates, quantity or currency in the booking.',
    action:
      'A feed page lists it in `errors[]` and still answers 200: process the page and go on. Send operations the `reservation_id`. Once the booking is corrected, it arrives as a reservation.',
  },
  checkpoint_too_old: {
    meaning: 'Too much has changed since the checkpoint for a digest.',
    cause: 'More than 1,000 reservations have an `updated_at` after it.',
    action: 'Pull the feed to its end, then ask with the new checkpoint.',
  },
  events_expired: {
    meaning: 'Events after your position are gone.',
    cause: 'The index keeps 30 days.',
    action: 'Synchronise with the pull feed, then go on from the newest sequence.',
  },
  checklist_incomplete: {
    meaning: 'Some items of the pilot checklist are open.',
    cause: '`details` names each open item.',
    action: 'Do what `next_step` of `GET /production/request` says, then request again.',
  },
  request_already_open: {
    meaning: 'A production request is waiting for its decision.',
    cause: 'You requested production before.',
    action: 'Wait; watch it with `GET /production/request`.',
  },
  already_in_production: {
    meaning: 'The connection is in production.',
    cause: 'The connection went live before.',
    action: 'Do nothing: the connection is live.',
  },
  ari_rejected: {
    meaning: 'At least one update breaks a rule; nothing was written.',
    cause: 'Unknown rooms or plans, dates, amounts, occupancies or restrictions outside what the property allows.',
    action:
      '`details` names every fault (up to 100, then `details_truncated`): fix them all and send the whole request again.',
  },
  currency_required: {
    meaning: 'The request has rates and no currency; nothing was written.',
    cause: '`currency` is absent or null in a request with rates. The service never assumes a default.',
    action: 'Send `currency`, the ISO 4217 code of the rate plan.',
  },
  currency_mismatch: {
    meaning: 'The currency differs from the rate plan’s; nothing was written.',
    cause: '`currency` differs from the one that `GET /catalog/rate-plans` shows.',
    action: 'Send amounts in the rate plan’s currency.',
  },
  callback_unreachable: {
    meaning: 'The callback address did not answer the challenge, or may not be called.',
    cause:
      'The signed challenge was not answered with 2xx and the same `challenge` within 15 s, or the address may not be called (`blocked_address`).',
    action: 'See the [events guide](events.md); the address stays as it was.',
  },
} satisfies Partial<Record<ErrorCode, Explained>>

/** Errors that only operators get. */
export const operators = {
  insufficient_role: {
    meaning: 'The operator’s token does not allow this.',
    cause: 'The claim `roles` lacks `connectivity:operate` (or `connectivity:read`).',
    action: 'Use a token with that role.',
  },
  application_not_approved: {
    meaning: 'The application is not approved.',
    cause: 'It is pending or suspended.',
    action: 'Approve it first.',
  },
  credential_revoked: {
    meaning: 'The credential is revoked for good.',
    cause: 'A rotation of a revoked credential.',
    action: 'Issue a new one.',
  },
} satisfies Partial<Record<ErrorCode, Explained>>
