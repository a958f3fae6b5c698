import type { ErrorCode } from '@connectivity/contracts/errors'
import type { Explained } from './explanation.js'

/** Errors of authentication and authorization. */
export const authentication = {
  invalid_signature: {
    meaning: 'The request is not signed, or its signature is not valid.',
    cause:
      'A signature header is missing, empty, repeated or malformed; the clock is more than 5 minutes off; the signed text differs from what was sent; the key is unknown, revoked or expired; a signature was used again with another Idempotency-Key or query.',
    action:
      '`details[0].code` says which: `missing_header`, `malformed_header`, `timestamp_out_of_window` (with `server_time` and `server_unix_time`), `signature_mismatch` or `signature_reused`. A `hint` beside `signature_mismatch` names [the mistake](signing.md#hints); without one, compare your four lines with the [golden vectors](signing.md#golden-vectors).',
  },
  invalid_token: {
    meaning: 'The access token is missing, malformed, expired or revoked.',
    cause:
      'Tokens live for an hour. They end with the client secret they were obtained with, with the credential, and when the application is suspended. A portal link works once; its session ends after eight hours, with the link and with the application.',
    action: 'Get a new token from `POST /oauth/token` and repeat the request once.',
  },
  invalid_client: {
    meaning: 'The OAuth client was not accepted.',
    cause: 'Client id or secret is missing or wrong, the client is revoked, or its application is suspended.',
    action: 'Check id and secret. Do not retry in a loop: failures are counted per address.',
  },
  cross_site_request: {
    meaning: 'The request comes from a page of another site.',
    cause:
      'A browser sent it (`Sec-Fetch-Site: cross-site`), or `Origin` names another host than the one called. With the cookie of the portal: another page than one of the portal sent it.',
    action:
      'Request tokens from your server; a client secret must never reach a browser. Open the portal in a current browser.',
  },
  unsupported_grant_type: {
    meaning: 'The only supported grant type is `client_credentials`.',
    cause: '`grant_type` has another value.',
    action: 'Send `grant_type=client_credentials`.',
  },
  invalid_scope: {
    meaning: 'The client does not have a scope that the token request names.',
    cause: 'A misspelt scope, or one that the credential was not issued with.',
    action: 'Leave `scope` out to get all that the client has, or choose from the list in the message.',
  },
  insufficient_scope: {
    meaning: 'The credential may not make this call.',
    cause: 'It was issued without the scope that the call needs.',
    action: 'Ask operations for a credential with that scope. Retrying does not help.',
  },
} satisfies Partial<Record<ErrorCode, Explained>>

/** Errors about the addressed connection. */
export const connections = {
  property_forbidden: {
    meaning: 'The property connection is not assigned to your application.',
    cause: '`property_id` is unknown or assigned to another application; the answer is the same for both.',
    action: 'Use an id from `GET /properties`. Do not retry with this one.',
  },
  connection_disabled: {
    meaning: 'The property connection is assigned to you and not enabled.',
    cause: '`details[0].code` is its state: `provisioning`, `disabled` or `closed`.',
    action: 'Stop polling it, look at `disabled_reason` in `GET /properties`, contact operations.',
  },
  connection_exists: {
    meaning: 'The connection exists already.',
    cause: 'A second connection of the same application to the same property and environment.',
    action: 'Use the existing connection, or close it first.',
  },
  invalid_transition: {
    meaning: 'The current state does not allow this change.',
    cause: 'For example resuming a callback that operations suspended.',
    action: 'Read its state; when operations suspended it, contact them.',
  },
} satisfies Partial<Record<ErrorCode, Explained>>
