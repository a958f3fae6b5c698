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

  it('shows no entry before the stamp that it is about', () => {
    const event = { ...nothing, event_id: 'evt_1' }
    const events: TimelineEntry[] = [
      { ...event, at: at(2_005), kind: 'acknowledged' },
      { ...event, at: at(2_002), kind: 'attempt', status: 200 },
      { ...event, at: at(2_001), kind: 'event', updated_at: at(2_019) },
      { ...event, event_id: 'evt_2', at: at(2_030), kind: 'event', updated_at: at(2_019) },
    ]
    const pages = [{ at: new Date(1_500), correlationId: 'c', stamp: 2_019 }]
    const entries = timelineOf([stamp(1_000), stamp(2_019)], pages, events)
    expect(entries.map(({ kind, at: time }) => [kind, Date.parse(time)])).toEqual([
      ['stamped', 1_000],
      ['stamped', 2_019],
      ['event', 2_019],
      ['attempt', 2_019],
      ['served', 2_019],
      ['acknowledged', 2_019],
      ['event', 2_030],
    ])
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
