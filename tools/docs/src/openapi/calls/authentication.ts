import type { AccessToken, AuthHealth, TokenRequest } from '@connectivity/contracts/authentication'
import type { CallText } from '../call-text.js'
import { property_id, schema_version } from './samples.js'

const token = {
  schema_version,
  access_token: 'cat_q1Kx0mZyV3nW8sT5uR7bE2dF4gH6jL9pA1cB3vN5xM0k9f2aQ',
  token_type: 'Bearer',
  expires_in: 3600,
  scope: 'reservations:read mappings:read',
} satisfies AccessToken

const asked = {
  grant_type: 'client_credentials',
  client_id: 'cli_01jd3v8m6qf0y4b7t2x9k5n1ha',
  client_secret: 'e2dF4gH6jL9pA1cB3vN5xM0kq1Kx0mZyV3nW8sT5uR7',
} satisfies TokenRequest

const health = {
  schema_version,
  status: 'ok',
  auth_method: 'signature',
  key_id: 'key_01jd3v8m6qf0y4b7t2x9k5n1ha',
  scopes: ['reservations:read', 'mappings:read'],
  property_ids: [property_id],
  server_time: '2026-11-20T10:15:30.123Z',
  clock_skew_seconds: 0,
  credential: { created_at: '2026-11-01T09:00:00.000Z', expires_at: null, rotation: null },
} satisfies AuthHealth

export const authenticationCalls: Record<string, CallText> = {
  'POST /oauth/token': {
    operationId: 'createAccessToken',
    tag: 'Authentication',
    summary: 'Create an access token',
    description:
      'Issues an OAuth 2.0 access token (client credentials grant, RFC 6749 §4.4). Send client id and secret in the body or as `Authorization: Basic` (RFC 6749 §2.3.1). Never send them in the URL. The token is opaque and valid for up to an hour. It ends earlier with its client secret or its credential. After a 401 `invalid_token`, request a new token; there are no refresh tokens.',
    requests: { body: { summary: 'Client id and secret in the body', value: asked } },
    answers: [
      {
        status: 200,
        description: 'A token for all of the client’s scopes, or for those asked for.',
        type: 'AccessToken',
        headers: ['Pragma'],
        examples: { token: { summary: 'A token', value: token } },
      },
    ],
    errors: ['invalid_client', 'unsupported_grant_type', 'invalid_scope', 'cross_site_request'],
  },
  'GET /auth/health': {
    operationId: 'checkAuthentication',
    tag: 'Authentication',
    summary: 'Check the credential',
    description:
      'Shows how you are authenticated, your rights and your clock skew: the first call to make when signatures do not match. Without a valid credential it answers 401. It answers 200 even while your connection is disabled.',
    answers: [
      {
        status: 200,
        description: 'You are authenticated.',
        type: 'AuthHealth',
        examples: { signed: { summary: 'A signed request', value: health } },
      },
    ],
  },
  'GET /openapi.json': {
    operationId: 'getDescription',
    tag: 'Authentication',
    summary: 'Get this description',
    description:
      'Returns the interface in OpenAPI 3.0, for any valid credential. This is the one body without `schema_version`: `info.version` carries it.',
    tagged: true,
    answers: [
      {
        status: 200,
        description: 'The description.',
        type: 'object',
        examples: {
          beginning: {
            summary: 'Beginning of the document',
            value: { openapi: '3.0.3', info: { title: 'Partner connectivity', version: schema_version } },
          },
        },
      },
    ],
  },
}
