import type { Growth } from './cost/memory.ts'
import { failuresOf, type Findings, reportOf } from './report.ts'
import { Outcome } from './requests/outcome.ts'
import type { Input } from './model/request.ts'

const input = (distortions: string[], body = '{}'): Input => ({
  request: { method: 'POST', path: '/ari', headers: {}, body, signature: 'good' },
  distortions,
})

function findings(more: Partial<Findings> = {}): Findings {
  const requests = new Outcome(['post /ari'])
  for (let sent = 0; sent < 100; sent++) requests.answered('post /ari', 200)
  requests.measured('post /ari', input([]), { process: 'ari', ms: 2 })
  requests.measured('post /ari', input(['body changed']), { process: 'gateway', ms: 7 })
  return { inputs: 100_000, requests, topics: null, memory: [], ended: [], ...more }
}

const growth = (grows: boolean): Growth => ({ process: 'gateway', from: 100, to: 200, grows })

describe('the report', () => {
  it('names the slowest inputs with operation, distortion, size and CPU time, the most expensive first', () => {
    const lines = reportOf(findings()).filter((line) => line.includes(' ms in '))
    expect(lines).toEqual([
      '  7.0 ms in gateway: post /ari, body changed, 2 bytes',
      '  2.0 ms in ari: post /ari, good, 2 bytes',
    ])
  })

  it('shows the growth of every process', () => {
    expect(reportOf(findings({ memory: [growth(false)] })).join('\n')).toContain('gateway 100 → 200 MiB')
  })

  it('ends with the number of inputs and failures', () => {
    expect(reportOf(findings()).at(-1)).toBe('100 inputs, 0 failures')
  })

  it.each([
    ['an operation that succeeds too seldom', { requests: new Outcome(['post /ari']) }],
    ['a service that grows', { memory: [growth(true)] }],
    ['a process that ended', { ended: ['ari'] }],
    [
      'a topic that is not read to its end',
      { topics: { sent: 1, failures: ['stuck: ari'], dearest: { topic: '', cost: { process: '', ms: 0 } } } },
    ],
  ])('counts %s as a failure', (_what, more) => {
    expect(failuresOf(findings(more))).toBe(1)
  })

  it('counts every failed input, and prints three of an operation', () => {
    const found = findings()
    for (let n = 0; n < 5; n++) found.requests.fail('post /ari', input([`distortion ${n}`]), ['answered 500'])
    expect(failuresOf(found)).toBe(5)
    expect(reportOf(found).filter((line) => line.includes('FAIL'))).toHaveLength(3)
  })
})
