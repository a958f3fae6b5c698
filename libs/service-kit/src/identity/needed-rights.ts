import { APPLIED_CATALOG_PATH } from '@connectivity/contracts/applied-catalog'
import { type OperatorRole, operatorRoles, type ServiceName } from '@connectivity/contracts/identity'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { BASE_PATH, operations } from '@connectivity/contracts/partner-api'
import type { Scope } from '@connectivity/contracts/scopes'
import { INTERNAL_PATH, RESERVATION_CHANGES_PATH, RESERVATION_EVENTS_PATH } from '@connectivity/contracts/timeline'
import { CHANGES_PATH } from '@connectivity/contracts/waiting'

/** Paths that services answer to the gateway itself, which has checked the caller's rights. */
const INTERNAL_PATHS = [
  CHANGES_PATH,
  INTERNAL_PATH + APPLIED_CATALOG_PATH,
  INTERNAL_PATH + RESERVATION_CHANGES_PATH,
  INTERNAL_PATH + RESERVATION_EVENTS_PATH,
]

/** Identifies a route regardless of its parameters' names. */
const placeOf = (method: string, route: string): string => `${method} ${route.replace(/\{[^{}]*\}|:\w+/g, '*')}`

/**
 * Scopes of the operations that a service answers; paths that only the gateway itself reads need none.
 * @returns the scope by method and route pattern: null when none is needed, undefined for no operation of the service
 */
export function scopesNeeded(service: ServiceName): (method: string, route: string) => Scope | null | undefined {
  const own = operations.filter(({ owner }) => owner === service)
  const scopes = new Map(own.map(({ method, path, scope }) => [placeOf(method, BASE_PATH + path), scope]))
  for (const path of INTERNAL_PATHS) scopes.set(placeOf('GET', path), null)
  const places = new Map<string, string>()
  return (method, route) => {
    const asked = `${method} ${route}`
    let place = places.get(asked)
    if (place === undefined) places.set(asked, (place = placeOf(method === 'HEAD' ? 'GET' : method, route)))
    return scopes.get(place)
  }
}

/** A read that is sent by POST, because it has too many keys for a URL. */
const QUESTION = new RegExp(`^${OPERATORS_PATH}/dead-letters/[^/]+/counts$`)

/** Roles of operators that may make a call, the least one first. */
export const rolesFor = (method: string, path: string): readonly OperatorRole[] =>
  method === 'GET' || method === 'HEAD' || QUESTION.test(path) ? operatorRoles : ['connectivity:operate']
