import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { manifestsBelow, ofKind } from './manifests.js'

type Labels = Record<string, string>
interface Special {
  SpecialRanges: Record<string, [ipaddr.IPv4, number][]>
}
interface Peer {
  podSelector?: { matchLabels?: Labels } | null
  namespaceSelector?: { matchLabels?: Labels } | null
  ipBlock?: { cidr: string; except?: string[] | null } | null
}

const policies = ofKind<INetworkPolicy>(manifestsBelow('base'), 'NetworkPolicy')

/** Labels that name pods in the system's picture. */
const NAMES = ['app.kubernetes.io/name', 'cnpg.io/cluster', 'strimzi.io/name', 'k8s-app']

function podOf(labels: Labels | null | undefined): string {
  const given = labels ?? {}
  const name = NAMES.map((label) => given[label]).find((value) => value !== undefined) ?? 'all'
  return given['app.kubernetes.io/component'] === 'deploy-step' ? `${name} (step)` : name
}

function peerOf({ podSelector, namespaceSelector, ipBlock }: Peer): string {
  if (ipBlock) return ipBlock.cidr
  const pod = podSelector ? podOf(podSelector.matchLabels) : 'all'
  const namespace = namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name']
  return namespace === undefined ? pod : `${pod} in ${namespace}`
}

/** `from → to:port` of every edge that a policy opens. */
function edgesOf({ spec }: INetworkPolicy): string[] {
  const own = podOf(spec!.podSelector?.matchLabels)
  const edges = (rules: readonly { ports?: unknown; peers: unknown }[], to: (peer: string) => string): string[] =>
    rules.flatMap(({ peers, ports }) =>
      (peers as Peer[]).flatMap((peer) =>
        (ports as { port: number | string }[]).map(({ port }) => `${to(peerOf(peer))}:${port}`),
      ),
    )
  return [
    ...edges(
      (spec!.ingress ?? []).map((rule) => ({ ports: rule.ports, peers: rule.from })),
      (peer) => `${peer} → ${own}`,
    ),
    ...edges(
      (spec!.egress ?? []).map((rule) => ({ ports: rule.ports, peers: rule.to })),
      (peer) => `${own} → ${peer}`,
    ),
  ]
}

const behind = ['catalog', 'reservation-feed', 'ari', 'event-dispatch']
const ports: Record<string, number> = { catalog: 8082, 'reservation-feed': 8083, ari: 8084, 'event-dispatch': 8085 }

/** The edges of the system's picture, and those that a cluster adds. */
const drawn = [
  'all in ingress → gateway:public',
  '192.0.2.0/24 → gateway:private',
  'prometheus in monitoring → gateway:private',
  'gateway → redis:6379',
  'event-dispatch → 0.0.0.0/0:443',
  'event-dispatch → 2000::/3:443',
  'topics (step) → platform-kafka in kafka:9093',
  'all → kube-dns in kube-system:53',
  ...behind.flatMap((service) => [
    `gateway → ${service}:${ports[service]}`,
    `gateway → ${service}:http`,
    `prometheus in monitoring → ${service}:http`,
  ]),
  ...['gateway', ...behind].flatMap((service) => [
    `${service} → ${service}-database:5432`,
    `${service} → platform-kafka in kafka:9093`,
  ]),
]

describe('the network', () => {
  it('is closed except for the edges of the design', () => {
    expect(new Set(policies.flatMap(edgesOf))).toEqual(new Set(drawn))
  })

  it('is closed for every pod in both directions', () => {
    const closed = policies.find(({ metadata }) => metadata!.name === 'default-deny')!
    expect(closed.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
  })
})

describe('callbacks', () => {
  const [rule] = policies.find(({ metadata }) => metadata!.name === 'event-dispatch-internet')!.spec!.egress!
  const blocks = rule!.to!.map(({ ipBlock }) => ipBlock!)
  const isOpen = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
    blocks.some(({ cidr, except }) => contains(cidr, address) && !except!.some((part) => contains(part, address)))
  const contains = (cidr: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean => {
    const [range, prefix] = ipaddr.parseCIDR(cidr)
    return range.kind() === address.kind() && address.match(range as never, prefix)
  }
  const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean => address.range() === 'unicast'

  it.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700::1111'])('may go to %s', (address) => {
    expect(isOpen(ipaddr.parse(address))).toBe(true)
  })

  it.each([
    '10.0.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '127.0.0.1',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    'fd00::1',
    '::1',
  ])('may not go to %s', (address) => expect(isOpen(ipaddr.parse(address))).toBe(false))

  it('may not go to addresses that the service itself refuses', () => {
    const { SpecialRanges } = ipaddr.IPv4.prototype as unknown as Special
    const special = Object.values(SpecialRanges)
      .flat()
      .flatMap(([address, prefix]) => [
        address,
        ipaddr.IPv4.broadcastAddressFromCIDR(`${address.toString()}/${prefix}`),
      ])
    expect(special.filter(isOpen).map(String)).toEqual([])
    const four = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(four, (bytes) => {
        const address = new ipaddr.IPv4(bytes)
        expect(isOpen(address) && !isPublic(address)).toBe(false)
      }),
      { numRuns: 2_000 },
    )
  })
})
