import { type OperatorRole, operatorRoles, type ServiceName } from '@connectivity/contracts/identity'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { BASE_PATH, operations } from '@connectivity/contracts/partner-api'
import type { Scope } from '@connectivity/contracts/scopes'

/** A route's place, whatever its parameters are called. */
const placeOf = (method: string, route: string): string => `${method} ${route.replace(/\{[^}]*\}|:\w+/g, '*')}`

/**
 * Scopes of the operations that a service answers.
 * @returns of a method and a route's pattern the scope: null when none is needed, undefined when it is no operation of it
 */
export function scopesNeeded(service: ServiceName): (method: string, route: string) => Scope | null | undefined {
  const own = operations.filter(({ owner }) => owner === service)
  const scopes = new Map(own.map(({ method, path, scope }) => [placeOf(method, BASE_PATH + path), scope]))
  const places = new Map<string, string>()
  return (method, route) => {
    const asked = `${method} ${route}`
    let place = places.get(asked)
    if (place === undefined) places.set(asked, (place = placeOf(method === 'HEAD' ? 'GET' : method, route)))
    return scopes.get(place)
  }
}

/** A question in the form of a change: it has too many keys for an address. */
const QUESTION = new RegExp(`^${OPERATORS_PATH}/dead-letters/[^/]+/counts$`)

/** Roles of operators that may make a call, the least one first. */
export const rolesFor = (method: string, path: string): readonly OperatorRole[] =>
  method === 'GET' || method === 'HEAD' || QUESTION.test(path) ? operatorRoles : ['connectivity:operate']
