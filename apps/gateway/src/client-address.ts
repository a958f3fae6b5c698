import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/** Leading parts of an IPv6 address that identify one customer: 64 bits. */
const NETWORK_PARTS = 4

/**
 * Key for counting a client: its IPv4 address, or its IPv6 /64 network, because one customer has 2^64 addresses.
 * @returns null when the text is not an address
 */
export function countedAddress(text: string): string | null {
  if (!ipaddr.isValid(text)) return null
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv4) return address.toString()
  const network = address.parts.slice(0, NETWORK_PARTS).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}

/**
 * The client's address: the peer of the socket, or the address that a trusted proxy reports (Fastify's `trustProxy`,
 * from TRUSTED_PROXIES). If a trusted proxy reports no valid address, all requests through it count together.
 */
export const clientAddress = ({ ip, raw }: FastifyRequest): string =>
  countedAddress(ip) ?? countedAddress(raw.socket.remoteAddress ?? '') ?? 'unknown'

/** @throws Error that names the expected form, for an entry that is neither an address nor a CIDR range */
export function proxyRanges(entries: readonly string[]): readonly string[] {
  const wrong = entries.filter((entry) => !ipaddr.isValid(entry) && !ipaddr.isValidCIDR(entry))
  if (wrong.length > 0) throw new Error('must be a list of addresses and CIDR ranges, such as 10.0.0.0/8')
  return entries
}

/** Whether an address lies in one of the ranges, which must have passed `proxyRanges`. */
export function addressIn(ranges: readonly string[], text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return ranges.some((range) => {
    const [network, bits] = ipaddr.isValidCIDR(range)
      ? ipaddr.parseCIDR(range)
      : [ipaddr.parse(range), ipaddr.parse(range).kind() === 'ipv4' ? 32 : 128]
    return network.kind() === address.kind() && address.match(network, bits)
  })
}
