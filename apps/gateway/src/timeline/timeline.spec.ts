import type { TimelineEntry } from '@connectivity/contracts/timeline'
import { timelineOf } from './timeline.js'

const at = (ms: number) => new Date(ms).toISOString()
const nothing = { updated_at: null, changes: null, correlation_id: null, event_id: null, status: null }
const stamp = (ms: number) => ({ stamp: ms, kind: 'stamped' as const, changes: [], recorded_at: ms })

describe('timelineOf', () => {
  it('orders by time, and of equal times stamp, event, attempt, served, acknowledged', () => {
    const events: TimelineEntry[] = (['acknowledged', 'attempt', 'event'] as const).map((kind) => ({
      ...nothing,
      at: at(2_000),
      kind,
    }))
    const pages = [{ at: new Date(2_000), correlationId: 'c', stamp: 1_000 }]
    const entries = timelineOf([stamp(1_000), stamp(2_000)], pages, events)
    const kinds = entries.map(({ kind }) => kind)
    expect(kinds).toEqual(['stamped', 'stamped', 'event', 'attempt', 'served', 'acknowledged'])
    expect(entries[4]).toEqual({
      ...nothing,
      at: at(2_000),
      kind: 'served',
      updated_at: at(1_000),
      correlation_id: 'c',
    })
  })

  it('leaves out the oldest of more than a thousand', () => {
    const entries = timelineOf(
      Array.from({ length: 1_001 }, (_, index) => stamp(index)),
      [],
      [],
    )
    expect([entries.length, entries[0]!.at]).toEqual([1_000, at(1)])
  })
})
