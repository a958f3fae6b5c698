import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [Address, number]

/** The only allocated part of the IPv6 space (RFC 4291 §2.4, IANA). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
/** An address in square brackets, as in URLs, with the prefix length inside or after them. */
const BRACKETS = /^\[([^\]/]+)(\/\d+)?\](\/\d+)?$/

/** Parses an address; null for text that is not an address, or has a zone, which only neighbours' addresses have. */
export function readAddress(text: string): Address | null {
  const isForm = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
  return isForm && !text.includes('%') ? ipaddr.parse(text) : null
}

/** A public number that is local to every Azure virtual machine: DNS, DHCP and the agent that hands out its secrets. */
const AZURE_PLATFORM = ipaddr.parse('168.63.129.16').toString()

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || address.toString() === AZURE_PLATFORM) return false
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST)
}

/** Addresses that no range can open: "this host" and IPv6 forms of an IPv4 address. */
function isNeverOpened(address: Address): boolean {
  const range = address.range()
  return range === 'unspecified' || range === 'ipv4Mapped'
}

/**
 * Reads CALLBACK_ALLOW: addresses and CIDR ranges, IPv6 ones with or without brackets.
 * @throws Error that describes the expected format
 */
export function readRanges(entries: readonly string[]): readonly Range[] {
  return entries.map((entry) => {
    const text = entry.replace(BRACKETS, '$1$2$3')
    const [address = '', prefix] = text.split('/')
    const parsed = readAddress(address)
    if (!parsed || (prefix !== undefined && !ipaddr.isValidCIDR(text))) {
      throw new Error('must be a list of addresses and CIDR ranges, such as 127.0.0.0/8,[::1]')
    }
    return [parsed, prefix === undefined ? parsed.toByteArray().length * 8 : Number(prefix)]
  })
}

/** Decides which addresses callbacks may use: public unicast and, in test mode, ranges opened by the operator. */
export class AddressRules {
  /** @param ranges of `readRanges` */
  constructor(private readonly ranges: readonly Range[]) {}

  /** Whether the operator opened this address. */
  isOpened(address: Address): boolean {
    if (isNeverOpened(address)) return false
    return this.ranges.some(
      ([range, prefix]) => range.kind() === address.kind() && address.match(range as never, prefix),
    )
  }

  /**
   * Returns the addresses to connect to, in normalized form; none unless all of them are allowed, because a name that
   * resolves to a mix of public and other addresses is not trusted at all.
   * @param openedOnly whether public addresses are refused too: for http, another port, or an address as host
   */
  vet(addresses: readonly string[], openedOnly: boolean): string[] {
    const read = addresses.map(readAddress)
    const mayBe = (address: Address) => this.isOpened(address) || (!openedOnly && isPublic(address))
    const allowed = read.filter((address) => address !== null && mayBe(address))
    return allowed.length === addresses.length ? allowed.map(String) : []
  }
}
