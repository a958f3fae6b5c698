// The configuration that Envoy Gateway makes of `components/gateway-api`, as a static configuration for a standalone
// Envoy.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { goProgram } from '@connectivity/toolkit/go-programs'
import { stringify } from 'yaml'
import { NAMESPACE } from '../config.ts'
import { objectsIn } from '../node/objects.ts'
import { built } from '../overlays.ts'
import type { Address } from './paths.ts'

const MAX_OUTPUT = 64 * 1024 * 1024
/**
 * Kinds that decide how requests are routed. TLS to the gateway is left out: the gateway behind this Envoy has none.
 */
const KINDS = ['Gateway', 'HTTPRoute', 'ClientTrafficPolicy', 'EnvoyPatchPolicy']

interface Named {
  name: string
}

/** One part of the configuration that Envoy Gateway sends: its entries by their kind. */
type Parts = Record<string, unknown[] | undefined>

interface Listener extends Named {
  address: { socketAddress: { address: string; portValue: number } }
}

interface Dump {
  dynamicListeners?: { activeState: { listener: Listener } }[]
  dynamicRouteConfigs?: { routeConfig: Named }[]
  dynamicActiveClusters?: { cluster: Named }[]
}

/** A certificate and its key, PEM. */
export interface Identity {
  cert: string
  key: string
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** The objects of production that decide how requests are routed, and the objects they refer to. */
async function objects({ cert, key }: Identity): Promise<object[]> {
  const all = objectsIn(await built(['overlays/production']))
  const metadata = (name: string) => ({ name, namespace: NAMESPACE })
  return [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: 'partners' },
      spec: { controllerName: 'gateway.envoyproxy.io/gatewayclass-controller' },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: metadata('gateway-tls'),
      data: { 'tls.crt': base64(cert), 'tls.key': base64(key) },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata('gateway'),
      spec: { clusterIP: '10.96.0.9', ports: [{ name: 'public', port: 8080, protocol: 'TCP' }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata('gateway'), labels: { 'kubernetes.io/service-name': 'gateway' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.244.0.9'], conditions: { ready: true } }],
      ports: [{ name: 'public', port: 8080, protocol: 'TCP' }],
    },
    ...all.filter(({ kind }) => KINDS.includes(kind)),
  ]
}

/** Removes the type field that a message has only inside `Any`. */
const plain = <T extends object>(message: T): T =>
  Object.fromEntries(Object.entries(message).filter(([key]) => key !== '@type')) as T

/** Translates the objects with Envoy Gateway. */
async function translated(folder: string, identity: Identity): Promise<Dump> {
  const file = join(folder, 'objects.yaml')
  const texts = (await objects(identity)).map((one) => stringify(one, { aliasDuplicateObjects: false }))
  writeFileSync(file, texts.join('---\n'), { mode: 0o600 })
  const args = ['experimental', 'translate', '--from=gateway-api', '--to=xds', '--type=all', '--output=json']
  const text = execFileSync(await goProgram('egctl'), [...args, '--file', file], {
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
  })
  const { xds } = JSON.parse(text) as { xds: Record<string, { configs: Parts[] }> }
  const made = xds[`${NAMESPACE}/partners`]
  if (!made) throw new Error(`Envoy Gateway made nothing for ${NAMESPACE}/partners: ${text.slice(0, 2000)}`)
  return Object.assign({}, ...made.configs) as Dump
}

/** Inlines the configuration Envoy would fetch. */
function withoutDiscovery(value: unknown, { routes, identity }: { routes: Named[]; identity: Identity }): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutDiscovery(one, { routes, identity }))
  if (typeof value !== 'object' || value === null) return value
  const found = value as Record<string, unknown>
  const { rds, tlsCertificateSdsSecretConfigs, ...rest } = found
  const own: Record<string, unknown> = Object.fromEntries(
    Object.entries(rest).map(([key, one]) => [key, withoutDiscovery(one, { routes, identity })]),
  )
  if (rds) own.routeConfig = routes.find(({ name }) => name === (rds as { routeConfigName: string }).routeConfigName)
  if (tlsCertificateSdsSecretConfigs)
    own.tlsCertificates = [
      { certificateChain: { inlineString: identity.cert }, privateKey: { inlineString: identity.key } },
    ]
  return own
}

/**
 * Configuration of an Envoy that listens at `at` and passes requests on to `gateway`.
 * @param folder for files
 */
export async function envoyConfiguration(
  folder: string,
  identity: Identity,
  { at, gateway }: { at: Address; gateway: Address },
): Promise<object> {
  const {
    dynamicListeners = [],
    dynamicRouteConfigs = [],
    dynamicActiveClusters = [],
  } = await translated(folder, identity)
  const routes = dynamicRouteConfigs.map(({ routeConfig }) => plain(routeConfig))
  const listener = dynamicListeners.map((one) => one.activeState.listener).find(({ name }) => name.endsWith('/https'))
  if (!listener) throw new Error('Envoy Gateway made no listener for HTTPS')
  const address = ({ host, port }: Address) => ({ socketAddress: { address: host, portValue: port } })
  const endpoint = { lbEndpoints: [{ endpoint: { address: address(gateway) } }] }
  return {
    staticResources: {
      listeners: [{ ...(withoutDiscovery(plain(listener), { routes, identity }) as object), address: address(at) }],
      clusters: dynamicActiveClusters.map(({ cluster: { name } }) => ({
        name,
        type: 'STATIC',
        loadAssignment: { clusterName: name, endpoints: [endpoint] },
      })),
    },
  }
}
