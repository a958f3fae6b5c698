import type { AcknowledgementOutcome } from '@connectivity/contracts/event-index'
import { judgeAcknowledgements } from './acknowledgement.js'

const known = (outcome: AcknowledgementOutcome | null) =>
  new Map([['evt_1', { eventId: 'evt_1', sequence: '7', outcome }]])
const judge = (before: AcknowledgementOutcome | null, ...outcomes: AcknowledgementOutcome[]) => {
  const writes = outcomes.map((outcome) => ({ event_id: 'evt_1', outcome }))
  const { results, kept } = judgeAcknowledgements(writes, known(before))
  return [...results.map(({ status }) => status), kept.map(({ outcome }) => outcome)]
}

describe('an acknowledgement of an event', () => {
  it('counts if it is the first', () => {
    expect(judge(null, 'processed')).toEqual(['acknowledged', ['processed']])
    expect(judge(null, 'rejected')).toEqual(['acknowledged', ['rejected']])
    expect(judge(null, 'deferred')).toEqual(['acknowledged', ['deferred']])
  })

  it('is final unless its outcome was deferred', () => {
    expect(judge('processed', 'rejected')).toEqual(['already_acknowledged', []])
    expect(judge('rejected', 'deferred')).toEqual(['already_acknowledged', []])
    expect(judge('deferred', 'processed')).toEqual(['acknowledged', ['processed']])
    expect(judge('deferred', 'deferred')).toEqual(['already_acknowledged', []])
  })

  it('counts only once per request', () => {
    expect(judge(null, 'processed', 'rejected')).toEqual(['acknowledged', 'already_acknowledged', ['processed']])
    expect(judge(null, 'deferred', 'processed')).toEqual(['acknowledged', 'already_acknowledged', ['deferred']])
  })

  it('of an unknown event is `not_found`; of a known one it keeps its reason', () => {
    const writes = [
      { event_id: 'evt_2', outcome: 'processed' as const },
      { event_id: 'evt_1', outcome: 'rejected' as const, reason: 'no such room', partner_reservation_id: 'P-1' },
    ]
    expect(judgeAcknowledgements(writes, known(null))).toEqual({
      results: [
        { event_id: 'evt_2', status: 'not_found' },
        { event_id: 'evt_1', status: 'acknowledged' },
      ],
      kept: [{ sequence: '7', outcome: 'rejected', partnerReservationId: 'P-1', reason: 'no such room' }],
    })
  })
})
