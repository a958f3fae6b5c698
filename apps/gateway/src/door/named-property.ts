import { readParameter } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import type { FastifyRequest } from 'fastify'
import { operationFor, type PartnerRoute } from './partner-route.js'

/** The connection that a request names, read once: limits count it without complaint, the door complains at its step. */
export interface NamedProperty {
  /** Unchecked; null when the request names none that could be read. */
  id: string | null
  /** What is wrong with the parameter, for the door to throw; null when nothing is, or when the body names it. */
  fault: unknown
}

const NONE: NamedProperty = { id: null, fault: null }

export function namedProperty(route: PartnerRoute | null, request: FastifyRequest): NamedProperty {
  const property = route && operationFor(route, request.method)?.property
  if (!property) return NONE
  if (property === 'path') return { id: route.id, fault: null }
  return property === 'query' ? inQuery(request.originalUrl) : { id: inBody(request.rawBody), fault: null }
}

function inQuery(target: string): NamedProperty {
  try {
    return { id: readParameter(queryOf(target), 'property_id'), fault: null }
  } catch (fault) {
    return { id: null, fault }
  }
}

function inBody(body: Buffer): string | null {
  try {
    const { property_id } = JSON.parse(body.toString('utf8')) as { property_id?: unknown }
    return typeof property_id === 'string' ? property_id : null
  } catch {
    return null
  }
}
