// The calls for the request log.
import { authMethods } from '@connectivity/contracts/request-log'
import type { Call } from '../command.ts'
import { choice, time } from './flag-kinds.ts'

const show = {
  method: 'GET',
  path: '/requests/{correlation-id}',
  flags: { 'correlation-id': { value: 'ID', says: 'its X-Correlation-Id', needed: true } },
  example: '9f1c7a52-3b1e-4d5c-8a55-0d3f7f1f6b21',
} as const

export const requests: readonly Call[] = [
  {
    verb: 'list',
    does: "Lists partners' requests, newest first; equal polls of a minute are one line.",
    method: 'GET',
    path: '/requests',
    list: 'requests',
    flags: {
      'application-id': { value: 'app_…', says: 'only of this application' },
      'property-id': { value: 'con_…', says: 'only about this connection' },
      status: { value: 'STATUS', says: 'only this status, or a class such as 4xx' },
      code: { value: 'CODE', says: 'only this error code' },
      method: { value: 'METHOD', says: 'only this HTTP method' },
      path: { value: 'PATH', says: 'only this path, whole or below the base path' },
      'correlation-id': { value: 'ID', says: 'only with this X-Correlation-Id' },
      'auth-method': choice(authMethods, 'only senders who proved themselves so'),
      since: time('not before, such as 2026-11-20T00:00:00Z'),
      until: time('before'),
    },
    columns: [
      ['at', 'at'],
      ['status', 'status'],
      ['code', 'code'],
      ['method', 'method'],
      ['path', 'path'],
      ['connection', 'property_id'],
      ['credential', 'credential_id'],
      ['times', 'repeated'],
      ['ms', 'duration_ms'],
      ['correlation id', 'correlation_id'],
    ],
    example: '--application-id app_… --status 4xx',
  },
  { verb: 'show', does: 'Shows a request with its answer.', ...show },
]

export const why: readonly Call[] = [
  { verb: 'explain', does: 'Shows a request, the hint that its sender got, and what to do next.', ...show },
]
