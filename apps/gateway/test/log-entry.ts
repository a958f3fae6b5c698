import type { LogEntry } from '../src/request-log/logged-request.js'

let count = 0

/** An entry of the request log for a poll without news. */
export const logEntry = (foldKey: string | null, given: Partial<LogEntry> = {}): LogEntry => ({
  at: 0,
  correlationId: `c${++count}`,
  applicationId: 'app_1',
  keyId: 'key_1',
  connectionId: null,
  isUnchecked: false,
  method: 'GET',
  path: '/x',
  authMethod: 'signature',
  authenticated: true,
  status: 304,
  code: null,
  durationMs: 1,
  page: null,
  facts: '[]',
  foldKey,
  repeated: 1,
  ...given,
})
