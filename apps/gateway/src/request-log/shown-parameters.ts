import { parametersOf } from '@connectivity/contracts/parameter-names'
import type { PartnerRequest } from '../http/requests/partner-request.js'

/** Values by name; null for a value that is not shown. */
export type Parameters = Record<string, string | null>

const NO_PARAMETERS: Parameters = {}

/**
 * Parameters by name, without repeated and malformed ones. Only the values of parameters that the call takes are kept.
 */
export function shownParameters({ query, operation }: PartnerRequest): Parameters {
  if (query === '') return NO_PARAMETERS
  const known = knownTo(operation)
  const shown: Parameters = {}
  const dropped: string[] = []
  for (const part of query.split('&', MOST_NAMES)) {
    const { name, value } = parameterIn(part)
    if (!isShown(name, known)) continue
    if (name in shown || value === null) dropped.push(name)
    shown[name] = known.includes(name) ? value : null
  }
  for (const name of dropped) delete shown[name]
  return shown
}

const knownTo = (operation: PartnerRequest['operation']): readonly string[] =>
  operation ? parametersOf(operation) : []

/** A parameter; one with a malformed name has none, and null stands for a malformed value. */
function parameterIn(part: string): { name: string; value: string | null } {
  const equals = part.indexOf('=')
  const [name, value] = equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]
  return { name: decoded(name) ?? '', value: decoded(value) }
}

const MOST_NAMES = 32
const PLAIN_NAME = /^[A-Za-z][\w.~[\]-]{0,63}$/

/** Shows parameters that the call takes, and others whose name is one word. Leaves out names that every object has. */
const isShown = (name: string, known: readonly string[]): boolean =>
  known.includes(name) || (PLAIN_NAME.test(name) && !(name in Object.prototype))

/** @returns null for malformed percent-encoding */
function decoded(text: string): string | null {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
