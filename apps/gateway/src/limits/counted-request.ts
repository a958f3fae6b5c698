import type { LimitClass } from '@connectivity/contracts/rate-limits'
import { readParameter } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import type { FastifyRequest } from 'fastify'
import { operationFor, type PartnerRoute } from '../door/partner-route.js'

/** The two calls with a class of their own; of every other the method decides. */
const ownClass: Readonly<Record<string, LimitClass>> = { 'GET /reservations': 'feed', 'POST /ari': 'ari' }

/** The class that a request counts in; of an unknown path its method decides. */
export function limitClassOf(route: PartnerRoute | null, method: string): LimitClass {
  const operation = route && operationFor(route, method)
  const own = operation ? ownClass[`${operation.method} ${operation.path}`] : undefined
  return own ?? (method === 'GET' || method === 'HEAD' ? 'reads' : 'mutations')
}

/** The connection that a request seems to address, unchecked; null when it names none that could be read. */
export function addressedId(route: PartnerRoute, { method, originalUrl, rawBody }: FastifyRequest): string | null {
  const operation = operationFor(route, method)
  if (!operation?.property) return null
  if (operation.property === 'path') return route.id
  return operation.property === 'query' ? fromQuery(originalUrl) : fromBody(rawBody)
}

function fromQuery(target: string): string | null {
  try {
    return readParameter(queryOf(target), 'property_id')
  } catch {
    return null
  }
}

function fromBody(body: Buffer): string | null {
  try {
    const { property_id } = JSON.parse(body.toString('utf8')) as { property_id?: unknown }
    return typeof property_id === 'string' ? property_id : null
  } catch {
    return null
  }
}
