import { createSecretKey, type KeyObject } from 'node:crypto'
import { type ServiceName, services } from '@connectivity/contracts/identity'
import { databaseKeys } from '@connectivity/database'
import { kafkaKeys } from '@connectivity/kafka/broker'
import { as, type ConfigKeys, type ConfigOf } from '@connectivity/service-kit/config'
import { isThisMachine, plainUrlCaution } from '@connectivity/service-kit/text'
import { serviceKeys, tlsFolderKey } from '@connectivity/service-kit/service'
import { vaultKeys } from '@connectivity/vault'
import { proxyRanges } from './client-address.js'

/** Parses `catalog=<base64>,…` to a key for each service behind the gateway. */
function identityKeys(text: string): Record<ServiceName, KeyObject> {
  const given = new Map(as.list(text).map((item) => [item.split('=', 1)[0]!, item.slice(item.indexOf('=') + 1)]))
  const keys = services.map((service) => {
    const key = given.get(service)
    if (key === undefined) throw new Error(`must hold a key for ${service}, as ${service}=<32 bytes in base64>`)
    return [service, createSecretKey(as.key256(key))]
  })
  return Object.fromEntries(keys) as Record<ServiceName, KeyObject>
}

/** Refuses plain HTTP except on loopback: an attacker on the way could forge operators' tokens. */
const isPlaceOfTrust = (url: string): boolean => new URL(url).protocol === 'https:' || isThisMachine(url)

function jwksPlace(text: string): string {
  if (!/^https?:\/\//i.test(text)) return as.text(text)
  if (isPlaceOfTrust(text)) return text
  throw new Error('must be a file path or a URL with https://; http:// is for loopback only')
}

function oidcIssuer(text: string): string {
  if (text === '' || isPlaceOfTrust(as.url('http', 'https')(text))) return text
  throw new Error('must be a URL with https://; http:// is for loopback only')
}

/** Host names in lower case, without port. */
function hostNames(text: string): ReadonlySet<string> {
  const names = as.list(text.toLowerCase())
  if (names.every((name) => /^(?:\[[\da-f:.]+\]|[\w.-]+)$/.test(name))) return new Set(names)
  throw new Error('must be a list of host names or addresses without port')
}

/** An origin: scheme, host and port, nothing after it. */
function publicUrl(text: string): string {
  if (text === '') return text
  const url = as.url('http', 'https')(text)
  if (new URL(url).origin === url) return url
  throw new Error('must be scheme, host and port, such as https://connectivity.example.com')
}

/** Address of a service behind the gateway. */
const upstreamUrl = <const K extends string>(key: K, about: string) => ({
  about,
  read: as.url('http', 'https'),
  caution: (config: { readonly [name in K]: string }) => plainUrlCaution(key, config[key], 'http', 'https'),
})

/** Every configuration key of the gateway. */
export const configKeys = {
  ...serviceKeys,
  ...databaseKeys,
  ...kafkaKeys,
  ...vaultKeys,
  PUBLIC_PORT: { about: 'Port of the partner interface.', read: as.port, fallback: '8080' },
  PRIVATE_PORT: { about: 'Port of /ops/v1, health and metrics; never public.', read: as.port, fallback: '8081' },
  PRIVATE_HOST: {
    about: 'Address of the private listener, such as one of an inner network. Empty: HOST.',
    read: as.anything,
    fallback: '',
  },
  PRIVATE_HOSTS: {
    about:
      'Names, without port, by which operators call the private listener, comma separated; other Host headers are refused, but for probes and metrics. Empty: any.',
    read: hostNames,
    fallback: '',
    caution: ({ PRIVATE_HOSTS }: { PRIVATE_HOSTS: ReadonlySet<string> }) =>
      PRIVATE_HOSTS.size > 0
        ? []
        : ['the private listener answers under any name: set PRIVATE_HOSTS to those that operators use'],
  },
  PUBLIC_URL: {
    about:
      'Address by which partners reach the public listener, such as https://connectivity.example.com: portal links lead there, and browsers must come from there. Empty: the host by which a request comes, and this machine in links.',
    read: publicUrl,
    fallback: '',
    caution: ({ PUBLIC_URL, HOST }: { PUBLIC_URL: string; HOST: string }) =>
      PUBLIC_URL !== '' || isThisMachine(HOST) ? [] : ['portal links lead to this machine: set PUBLIC_URL'],
  },
  PUBLIC_TLS_FILES: tlsFolderKey('PUBLIC_TLS_FILES', 'the public listener'),
  PRIVATE_TLS_FILES: tlsFolderKey('PRIVATE_TLS_FILES', 'the private listener'),
  MAX_CONNECTIONS: {
    about: 'Connections that each listener holds at once; more are closed unanswered.',
    read: as.positiveInteger,
    fallback: '10000',
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    about: 'The same for one client address or IPv6 /64 network; addresses of TRUSTED_PROXIES are not limited.',
    read: as.positiveInteger,
    fallback: '200',
  },
  MAX_WAITING_REQUESTS: {
    about:
      'Requests of one connection that wait for changes at one service at once, in each gateway; a further one is answered at once.',
    read: as.positiveInteger,
    fallback: '2',
  },
  REQUEST_LOG_DAYS: {
    about: "Days for which partners' requests stay in the log.",
    read: as.integer(1, 3_650),
    fallback: '14',
  },
  REQUEST_LOG_WRITE_MILLISECONDS: {
    about: "Time between two writes of partners' requests to the log; a request is visible after the next one.",
    read: as.integer(100, 10_000),
    fallback: '500',
  },
  PORTAL_LINK_MINUTES: {
    about: 'Time for which a person can sign in with a portal link.',
    read: as.integer(1, 10_080),
    fallback: '15',
  },
  PORTAL_SESSION_HOURS: {
    about: 'Length of a session of the portal; use does not prolong it.',
    read: as.integer(1, 168),
    fallback: '8',
  },
  REDIS_URL: {
    about: 'Redis that counts rate limits for all gateways; without it each counts alone.',
    read: as.url('redis', 'rediss'),
    fallback: 'redis://127.0.0.1:6379',
    secret: true,
    caution: ({ REDIS_URL }: { REDIS_URL: string }) => plainUrlCaution('REDIS_URL', REDIS_URL, 'redis', 'rediss'),
  },
  REDIS_CA: {
    about:
      'CA certificates (PEM) that verify a rediss:// server; new connections trust renewed ones. Empty: those built into Node.js.',
    read: as.authorities,
    fallback: '',
    document: true,
  },
  TRUSTED_PROXIES: {
    about: "Addresses and CIDR ranges whose X-Forwarded-For names the client's address, comma separated; none trusted.",
    read: (text: string) => proxyRanges(as.list(text)),
    fallback: '',
  },
  FAILED_AUTH_PER_MINUTE: {
    about: 'Refused authentications of one address per minute (and at once); beyond it they are answered 429.',
    read: as.positiveInteger,
    fallback: '30',
  },
  CATALOG_URL: upstreamUrl('CATALOG_URL', 'Address of the catalog.'),
  RESERVATION_FEED_URL: upstreamUrl('RESERVATION_FEED_URL', 'Address of the reservation feed.'),
  ARI_URL: upstreamUrl('ARI_URL', 'Address of the ARI service.'),
  EVENT_DISPATCH_URL: upstreamUrl('EVENT_DISPATCH_URL', 'Address of event dispatch.'),
  SERVICES_CA: {
    about: 'CA certificates (PEM) that verify services at https:// addresses; empty: those built into Node.js.',
    read: as.pem,
    fallback: '',
    document: true,
  },
  IDENTITY_KEYS: {
    about: 'Keys that sign the identities sent to each service, service=<32 bytes in base64>, comma separated.',
    read: identityKeys,
    secret: true,
  },
  DOCUMENTATION: {
    about: 'Folder of the built documentation: openapi.json and the pages at /docs.',
    read: as.text,
    fallback: 'tools/docs/dist/site',
  },
  PORTAL: { about: 'Folder of the built portal, served at /portal.', read: as.text, fallback: 'apps/portal/dist' },
  CONSOLE: {
    about: "Folder of the built operators' console, served at /console of the private listener.",
    read: as.text,
    fallback: 'apps/console/dist',
  },
  OPERATOR_JWKS: {
    about: "JWKS with the operators' public keys: a file path or an https:// URL (http:// on loopback).",
    read: jwksPlace,
  },
  OPERATOR_ISSUER: { about: "Required `iss` of operators' tokens.", read: as.text },
  OPERATOR_AUDIENCE: { about: "Required `aud` of operators' tokens.", read: as.text },
  OPERATOR_TOKEN_HOURS: {
    about: "Longest time for which an operator's token may still be valid, hours; one that ends later is refused.",
    read: as.positiveInteger,
    fallback: '12',
  },
  OPERATOR_OIDC_ISSUER: {
    about:
      'Identity provider at which operators sign in to the console (OpenID Connect, https://); empty: they paste a token.',
    read: oidcIssuer,
    fallback: '',
  },
  OPERATOR_OIDC_CLIENT_ID: {
    about: 'Client of the console at that provider: public, with PKCE and the redirect address <console>/callback.',
    read: as.text,
    fallback: 'connectivity-console',
  },
  OPERATOR_OIDC_SCOPE: {
    about: "Scopes for which the console asks, so that the access token is one for the operators' interface.",
    read: as.text,
    fallback: 'openid',
  },
} satisfies ConfigKeys

/** Values of the configuration keys. */
export type GatewayConfig = ConfigOf<typeof configKeys>

/** Injection token of the configuration. */
export const GATEWAY_CONFIG = Symbol('gateway config')

/** The URL of each service. */
export const serviceUrls = (config: GatewayConfig): Record<ServiceName, string> => ({
  catalog: config.CATALOG_URL,
  'reservation-feed': config.RESERVATION_FEED_URL,
  ari: config.ARI_URL,
  'event-dispatch': config.EVENT_DISPATCH_URL,
})
