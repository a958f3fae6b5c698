import { isIP } from 'node:net'
import { urlTextFault, type UrlTextFault } from '@connectivity/contracts/mutation-rules'
import { type AddressRules, readAddress } from '../address-rules.js'

const SECURE_PORT = 443

/** Targets that the operator allows in addition to https on port 443 to public addresses. */
export interface TargetRules {
  addresses: AddressRules
  /** Additional ports for https. */
  ports: ReadonlySet<number>
  /** Test mode: addresses are opened by CALLBACK_ALLOW. */
  testMode: boolean
}

/** A callback's URL, split into its parts. */
export interface CallbackTarget {
  secure: boolean
  /** Name or address, without brackets and without the trailing dot of a name. */
  host: string
  port: number
  /** Scheme, host and port: the key of kept connections. */
  origin: string
  /** Path and query. */
  path: string
  /** Whether it may lead to opened addresses only: http, another port, or an address instead of a name. */
  openedOnly: boolean
}

/** Reasons to refuse a callback URL before resolving its name. */
export type UrlFault = UrlTextFault | 'port' | 'ip_literal'

/**
 * Parses a callback's URL by the WHATWG rules, so that every spelling of an address is recognized.
 * @returns a fault if it cannot be a callback's URL
 */
export function callbackTarget(text: string, rules: TargetRules): CallbackTarget | UrlFault {
  const fault = urlTextFault(text)
  if (fault) return fault
  const url = new URL(text)
  const secure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '')
  const port = url.port === '' ? (secure ? SECURE_PORT : 80) : Number(url.port)
  const usual = secure && (port === SECURE_PORT || rules.ports.has(port))
  const target = { secure, host, port, origin: url.origin, path: url.pathname + url.search, openedOnly: !usual }
  return isIP(host) === 0 ? namedTarget(target, rules) : literalTarget(target, rules)
}

/** Accepts any name in test mode: whether it leads to an opened address shows only when it is resolved. */
function namedTarget(target: CallbackTarget, { testMode }: TargetRules): CallbackTarget | UrlFault {
  if (!target.openedOnly || testMode) return target
  return target.secure ? 'port' : 'https_required'
}

function literalTarget(target: CallbackTarget, { addresses }: TargetRules): CallbackTarget | UrlFault {
  const address = readAddress(target.host)
  return address && addresses.isOpened(address) ? { ...target, openedOnly: true } : 'ip_literal'
}
