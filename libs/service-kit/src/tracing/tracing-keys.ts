import { as, type ConfigKeys, type ConfigOf } from '../config/config.js'
import { plainUrlCaution } from '../text/plain-text.js'

const PAIR = /^([^\s=,;]+)=([^\s,;]*)$/

/** `name=value,…` as OpenTelemetry writes it, values percent-encoded. */
function pairs(text: string): Readonly<Record<string, string>> {
  const found = as.list(text).map((item): [string, string] => {
    const [, name, value] = PAIR.exec(item) ?? []
    if (name === undefined) throw new Error('must be a list of name=value')
    return [name, decodeURIComponent(value!)]
  })
  return Object.fromEntries(found)
}

const collector = as.url('http', 'https')

/** Finds a collector on another machine that gets traces without TLS. */
const plainCaution =
  <K extends string>(key: K) =>
  (config: { readonly [name in K]: string | null }) =>
    plainUrlCaution(key, config[key] ?? '', 'http', 'https')

/** Keys for traces, with OpenTelemetry's names. Without an address no traces are made. */
export const tracingKeys = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    about: 'Address of a collector that takes OTLP/HTTP; traces go to /v1/traces below it. Empty: no traces.',
    read: (text: string) => (text === '' ? null : collector(text)),
    fallback: '',
    caution: plainCaution('OTEL_EXPORTER_OTLP_ENDPOINT'),
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    about: 'Full URL that traces are sent to; takes precedence over OTEL_EXPORTER_OTLP_ENDPOINT.',
    read: (text: string) => (text === '' ? null : collector(text)),
    fallback: '',
    caution: plainCaution('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'),
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    about: 'Headers for the collector, name=value with percent-encoded values, comma separated.',
    read: pairs,
    fallback: '',
    secret: true,
  },
  OTEL_TRACES_SAMPLER: {
    about: 'Sampler of traces; a parentbased_ one follows the decision of the calling service or message.',
    read: as.oneOf(
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
      'always_on',
      'always_off',
      'traceidratio',
    ),
    fallback: 'parentbased_always_on',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    about: 'Share of traces that the samplers called traceidratio record, 0 to 1.',
    read: as.share,
    fallback: '1',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    about: 'Resource attributes of every span, name=value with percent-encoded values, comma separated.',
    read: pairs,
    fallback: '',
  },
} satisfies ConfigKeys

/** Values of the configuration keys. */
export type TracingConfig = ConfigOf<typeof tracingKeys>

/** URL to which traces are sent; null if none are sent. */
export function tracesEndpoint(config: Partial<TracingConfig>): string | null {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: shared } = config
  if (own) return own
  if (!shared) return null
  return `${shared}${shared.endsWith('/') ? '' : '/'}v1/traces`
}
