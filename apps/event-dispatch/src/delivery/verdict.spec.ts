import { readFileSync } from 'node:fs'
import { attemptErrors } from '@connectivity/contracts/callbacks'
import { outcome } from '../../test/fake-receiver.js'
import type { SendError } from '../sending/sender.js'
import { errorOf, verdictOf } from './verdict.js'

describe('the verdict on an attempt', () => {
  it.each([200, 201, 202, 204, 299])('with status %i is success', (status) => {
    expect(verdictOf(outcome({ status }), 1, 0)).toMatchObject({ kind: 'delivered', error: null })
    expect(errorOf(outcome({ status }))).toBeNull()
  })

  it.each([101, 301, 302, 304, 400, 401, 404, 409, 429, 500, 503])('with status %i is a retry', (status) => {
    expect(verdictOf(outcome({ status }), 1, 0)).toMatchObject({ kind: 'retry', gap: 5_000 })
    expect(errorOf(outcome({ status }))).toBe('unexpected_status')
  })

  it('without an answer is a retry with the reason', () => {
    const timeout = outcome({ error: 'timeout', timedOut: true })
    expect(verdictOf(timeout, 2, 0)).toMatchObject({ kind: 'retry', gap: 30_000 })
    expect(errorOf(timeout)).toBe('timeout')
  })

  it('shows partners documented codes only, and the same code for unresolved and forbidden names', () => {
    const all: SendError[] = [
      ...(['timeout', 'blocked_address', 'dns_error', 'connection_refused', 'connection_reset'] as const),
      ...(['tls_error', 'protocol_error', 'network_error', 'aborted', 'no_place'] as const),
    ]
    const shown = [...all.map((error) => errorOf(outcome({ error }))), errorOf(outcome({ status: 500 }))]
    expect(new Set(shown)).toEqual(new Set(attemptErrors))
    expect(errorOf(outcome({ error: 'dns_error' }))).toBe('blocked_address')
    const guide = readFileSync(new URL('../../../../docs/guides/events.md', import.meta.url), 'utf8')
    const documented = [...guide.slice(guide.indexOf('| code ')).matchAll(/^\| `(\w+)` +\|/gm)].map(([, code]) => code)
    expect(documented).toEqual([...attemptErrors])
  })

  it('respects Retry-After with 429 and 503 only', () => {
    const after = (status: number) => verdictOf(outcome({ status, retryAfterSeconds: 90 }), 1, 0)
    expect(after(429)).toMatchObject({ kind: 'retry', gap: 90_000 })
    expect(after(503)).toMatchObject({ kind: 'retry', gap: 90_000 })
    expect(after(500)).toMatchObject({ kind: 'retry', gap: 5_000 })
  })

  it('is `failed` at the 15th failed attempt', () => {
    expect(verdictOf(outcome({ status: 500 }), 14, 0)).toMatchObject({ kind: 'retry', gap: 43_200_000 })
    expect(verdictOf(outcome({ status: 500 }), 15, 0)).toMatchObject({ kind: 'failed', gap: null })
  })

  it('is `gone` for a 410 at any attempt; an aborted attempt has none', () => {
    expect(verdictOf(outcome({ status: 410 }), 15, 0)).toMatchObject({ kind: 'gone', status: 410 })
    expect(verdictOf(outcome({ error: 'aborted' }), 1, 0)).toBeNull()
  })
})
