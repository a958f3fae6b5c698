import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { TracingConfig } from './tracing-keys.js'

const PARENT_BASED = 'parentbased_'

function rootSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: SamplingConfig): Sampler {
  if (name.endsWith('always_on')) return new AlwaysOnSampler()
  return name.endsWith('always_off') ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(share)
}

type SamplingConfig = Pick<TracingConfig, 'OTEL_TRACES_SAMPLER' | 'OTEL_TRACES_SAMPLER_ARG'>

/**
 * Decides which spans are recorded.
 * @param isBorder whether to ignore the caller's sampling decision: a partner can neither force the recording of
 *   everything nor keep its requests out
 */
export function samplerOf(config: SamplingConfig, isBorder: boolean): Sampler {
  const root = rootSampler(config)
  if (!config.OTEL_TRACES_SAMPLER.startsWith(PARENT_BASED)) return root
  return new ParentBasedSampler(isBorder ? { root, remoteParentSampled: root, remoteParentNotSampled: root } : { root })
}
