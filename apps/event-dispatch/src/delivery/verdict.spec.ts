import { readFileSync } from 'node:fs'
import { attemptErrors } from '@connectivity/contracts/callbacks'
import { outcome } from '../../test/fake-receiver.js'
import type { SendError } from '../sending/sender.js'
import { errorOf, verdictOf } from './verdict.js'

describe('what an attempt means', () => {
  it.each([200, 201, 202, 204, 299])('%i is a success', (status) => {
    expect(verdictOf(outcome({ status }), 1, 0)).toEqual({ kind: 'delivered' })
    expect(errorOf(outcome({ status }))).toBeNull()
  })

  it.each([101, 301, 302, 304, 400, 401, 404, 409, 429, 500, 503])('%i is tried again', (status) => {
    expect(verdictOf(outcome({ status }), 1, 0)).toEqual({ kind: 'retry', gap: 5_000 })
    expect(errorOf(outcome({ status }))).toBe('unexpected_status')
  })

  it('no answer is tried again and says why', () => {
    const timeout = outcome({ error: 'timeout', timedOut: true })
    expect(verdictOf(timeout, 2, 0)).toEqual({ kind: 'retry', gap: 30_000 })
    expect(errorOf(timeout)).toBe('timeout')
  })

  it('tells partners nothing but what is documented, and of a name nothing but that it is not allowed', () => {
    const all: SendError[] = [
      ...(['timeout', 'blocked_address', 'dns_error', 'connection_refused', 'connection_reset'] as const),
      ...(['tls_error', 'protocol_error', 'network_error', 'aborted', 'no_place'] as const),
    ]
    const shown = [...all.map((error) => errorOf(outcome({ error }))), errorOf(outcome({ status: 500 }))]
    expect(new Set(shown)).toEqual(new Set(attemptErrors))
    expect(errorOf(outcome({ error: 'dns_error' }))).toBe('blocked_address')
    const guide = readFileSync(new URL('../../../../docs/guides/events.md', import.meta.url), 'utf8')
    const documented = [...guide.matchAll(/^\| `(\w+)` +\|/gm)].map(([, code]) => code)
    expect(documented).toEqual([...attemptErrors])
  })

  it('Retry-After counts with 429 and 503 only', () => {
    const after = (status: number) => verdictOf(outcome({ status, retryAfterSeconds: 90 }), 1, 0)
    expect(after(429)).toEqual({ kind: 'retry', gap: 90_000 })
    expect(after(503)).toEqual({ kind: 'retry', gap: 90_000 })
    expect(after(500)).toEqual({ kind: 'retry', gap: 5_000 })
  })

  it('the 15th failure is the last', () => {
    expect(verdictOf(outcome({ status: 500 }), 14, 0)).toEqual({ kind: 'retry', gap: 43_200_000 })
    expect(verdictOf(outcome({ status: 500 }), 15, 0)).toEqual({ kind: 'failed' })
  })

  it('a 410 is no attempt too many, and one that we broke off is none', () => {
    expect(verdictOf(outcome({ status: 410 }), 15, 0)).toEqual({ kind: 'gone' })
    expect(verdictOf(outcome({ error: 'aborted' }), 1, 0)).toEqual({ kind: 'undone' })
  })
})
