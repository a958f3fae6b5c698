// Values of the chart, which an installation sets, and the example text of each in the overlay `production`.

/** A value of the chart. */
export interface Value {
  /** Path in values.yaml. */
  path: string
  about: string
  /** Text in the overlay; the value's default. */
  example: string
}

const services = ['gateway', 'catalog', 'reservation-feed', 'ari', 'event-dispatch']

/** Name of a service as a key of Helm's values. */
const keyOf = (service: string): string => service.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const NO_DIGEST = '0'.repeat(64)

/** Longer examples come first: no example may contain a later one. */
export const values: readonly Value[] = [
  ...services.map((service) => ({
    path: `images.${keyOf(service)}`,
    about: `image of ${service}, by digest`,
    example: `registry.example.com/partner-connectivity/${service}@sha256:${NO_DIGEST}`,
  })),
  { path: 'docs', about: 'where docs is read; runbooks are below it', example: 'https://docs.example.com' },
  { path: 'operators.issuer', about: 'iss of the operators’ tokens', example: 'https://operators.example.com' },
  { path: 'operators.network', about: 'addresses from which operators come', example: '10.20.0.0/16' },
  { path: 'trustedProxies', about: 'addresses of the proxies in front of the gateway', example: '10.21.0.0/16' },
  { path: 'host', about: 'host name of the partner interface', example: 'connectivity.example.com' },
  { path: 'prometheusRelease', about: 'label `release` that Prometheus selects', example: 'kube-prometheus-stack' },
]

/** The operators' public keys are a whole document. */
export const operatorKeys = { path: 'operators.keys', about: 'their JWKS', file: 'operator-jwks.json' }
