import { currentTraceparent, makeSpansWith, type SpanEnd, type SpanStart } from '@connectivity/service-kit/tracing'
import { BatchSpans } from './batch-spans.js'
import { OutboxSpans } from '../outbox/outbox-spans.js'
import { consumedMessages } from './topic-batch.js'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const header = (span: string) => `00-${TRACE}-${span.repeat(16)}-01`
const source = { group: 'g', topic: 'connectivity.catalogs.v1', partition: 3 }
const kafkaMessage = (offset: number, traceparent?: string, value: Buffer | null = Buffer.from('v')) => ({
  offset: String(offset),
  key: null,
  value,
  ...(traceparent === undefined ? {} : { headers: { traceparent: Buffer.from(traceparent) } }),
})
const row = (id: string, headers?: Record<string, string>) => ({
  ...{ id, topic: 'connectivity.catalogs.v1', key: 'k', value: 'v', bytes: 2 },
  ...(headers && { headers }),
})

type Made = SpanStart & { spanId: string; ended: SpanEnd[] }
let made: Made[]
function record(): void {
  makeSpansWith((start) => {
    const span: Made = { ...start, spanId: String(made.length + 1).repeat(16), ended: [] }
    made.push(span)
    const traceId = start.parent?.traceId ?? String(made.length).repeat(32)
    return { trace: { traceId, spanId: span.spanId, flags: '01' }, end: (end = {}) => span.ended.push(end) }
  })
}
beforeEach(() => (made = []))
afterEach(() => makeSpansWith(null))

describe('messages from Kafka', () => {
  it('carry their trace, if it is valid, and include no tombstones', () => {
    const given = [kafkaMessage(1), kafkaMessage(2, header('a')), kafkaMessage(3, 'x\x1f'), kafkaMessage(4, '', null)]
    expect(consumedMessages(given).map(({ offset, traceparent }) => [Number(offset), traceparent])).toEqual([
      [1, undefined],
      [2, header('a')],
      [3, null],
    ])
  })
})

describe('a batch that is processed', () => {
  const messages = consumedMessages([kafkaMessage(1, header('a')), kafkaMessage(2), kafkaMessage(3)])

  it('stays unchanged while no spans are created', async () => {
    const spans = new BatchSpans(source, messages)
    expect(spans.messages).toBe(messages)
    const done = spans.around(async () => {
      expect(currentTraceparent()).toBeNull()
      spans.setAside(messages[0]!)
      return true
    })
    expect(await done).toBe(true)
  })

  it('has a span for each message, in its trace, and one of its own with links to them', async () => {
    record()
    const spans = new BatchSpans(source, messages)
    expect(made.map(({ name, kind, parent }) => [name, kind, parent?.spanId ?? null])).toEqual([
      ['process connectivity.catalogs.v1', 'consumer', 'a'.repeat(16)],
      ['process connectivity.catalogs.v1', 'consumer', null],
      ['process connectivity.catalogs.v1', 'consumer', null],
      ['process connectivity.catalogs.v1 batch', 'consumer', null],
    ])
    expect(made[3]!.links!.map(({ spanId }) => spanId)).toEqual(made.slice(0, 3).map(({ spanId }) => spanId))
    expect(spans.messages.map(({ traceparent }) => traceparent)).toEqual([
      `00-${TRACE}-${'1'.repeat(16)}-01`,
      `00-${'2'.repeat(32)}-${'2'.repeat(16)}-01`,
      `00-${'3'.repeat(32)}-${'3'.repeat(16)}-01`,
    ])
    const done = spans.around(async () => {
      expect(currentTraceparent()).toContain('4'.repeat(16))
      spans.setAside(spans.messages[1]!)
      return true
    })
    expect(await done).toBe(true)
    expect(made.map(({ ended }) => ended)).toEqual([
      [{ failed: false }],
      [{ failed: true, attributes: { 'error.type': 'dead_letter' } }],
      [{ failed: false }],
      [{ failed: false }],
    ])
  })
})

describe('a batch without effect', () => {
  it.each([
    ['is given up', async () => false],
    ['fails', () => Promise.reject(new Error('gone'))],
  ])('is marked as failed when it %s', async (_how, work) => {
    record()
    const spans = new BatchSpans(source, consumedMessages([kafkaMessage(1)]))
    await spans.around(work).catch(() => undefined)
    expect(made.map(({ ended }) => ended)).toEqual([[{ failed: true }], [{ failed: true }]])
  })
})

describe('messages that are sent', () => {
  const rows = [row('1'), row('2', { traceparent: header('a'), other: 'x' }), row('3', { other: 'y' })]

  it('stay unchanged while no spans are created', () => {
    const spans = new OutboxSpans(rows)
    expect(spans.rows).toBe(rows)
    spans.end(false)
  })

  it('have a span if they name a trace, and pass it on to their readers', () => {
    record()
    const spans = new OutboxSpans(rows)
    expect(made).toMatchObject([{ kind: 'producer', parent: { traceId: TRACE, spanId: 'a'.repeat(16) } }])
    expect(spans.rows).toEqual([
      rows[0],
      row('2', { traceparent: `00-${TRACE}-${'1'.repeat(16)}-01`, other: 'x' }),
      rows[2],
    ])
    spans.end(true)
    expect(made[0]!.ended).toEqual([{ failed: true }])
  })
})
