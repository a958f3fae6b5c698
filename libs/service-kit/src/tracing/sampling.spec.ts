import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { SamplingDecision } from '@opentelemetry/sdk-trace'
import { readConfig } from '../config/config.js'
import { samplerOf } from './sampling.js'
import { tracingKeys } from './tracing-keys.js'

const LOW = '0'.repeat(31) + '1'
const HIGH = 'f'.repeat(8) + '0'.repeat(24)

function isRecorded(env: NodeJS.ProcessEnv, traceId: string, parent: boolean | null, isBorder = false): boolean {
  const spanContext = { traceId, spanId: '00f067aa0ba902b7', traceFlags: parent ? 1 : 0, isRemote: true }
  const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContext)
  const sampler = samplerOf(readConfig(tracingKeys, env), isBorder)
  const { decision } = sampler.shouldSample(context, traceId, 'name', SpanKind.SERVER, {}, [])
  return decision === SamplingDecision.RECORD_AND_SAMPLED
}

const share = { OTEL_TRACES_SAMPLER_ARG: '0.5' }

describe('the sampling of spans', () => {
  it.each([
    [{}, null, [true, true]],
    [{}, false, [false, false]],
    [{ OTEL_TRACES_SAMPLER: 'always_on' }, false, [true, true]],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, true, [false, false]],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, true, [true, true]],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, null, [false, false]],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', ...share }, null, [true, false]],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', ...share }, true, [true, true]],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', ...share }, true, [true, false]],
  ])('with %j and parent %j records %j', (env, parent, [low, high]) => {
    expect([isRecorded(env, LOW, parent), isRecorded(env, HIGH, parent)]).toEqual([low, high])
  })

  it('ignores the caller at the border', () => {
    const half = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', ...share }
    for (const parent of [null, true, false]) {
      expect(isRecorded(half, LOW, parent, true)).toBe(true)
      expect(isRecorded(half, HIGH, parent, true)).toBe(false)
      expect(isRecorded({}, HIGH, parent, true)).toBe(true)
    }
  })
})
