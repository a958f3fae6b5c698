import { unknownParameters } from '@connectivity/contracts/parameter-names'
import { readParameter } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { readStrictJson, type StrictReading } from '@connectivity/service-kit/strict-json'
import type { FastifyRequest } from 'fastify'
import { operationFor, type PartnerRoute } from '../../http/partner-route.js'

/** The connection that a request names, read once: limits count it whatever it is, admission refuses a wrong one later. */
export interface NamedProperty {
  /** Unchecked; null when the request names none that could be read. */
  id: string | null
  /** What is wrong with the parameter, for admission to throw; null when nothing is, or when the body names it. */
  fault: unknown
  /** The body, where it was read for the id; it is not read a second time. */
  body?: StrictReading
}

const NONE: NamedProperty = { id: null, fault: null }

/** Reads the connection that a request names, wherever its operation has it. */
export function namedProperty(route: PartnerRoute | null, request: FastifyRequest): NamedProperty {
  const property = route && operationFor(route, request.method)?.property
  if (!property) return NONE
  if (property === 'path') return { id: route.id, fault: null }
  return property === 'query' ? inQuery(request.originalUrl) : inBody(request.rawBody)
}

function inQuery(target: string): NamedProperty {
  try {
    const query = queryOf(target)
    const id = readParameter(query, 'property_id')
    // Says more than that it is missing.
    if (id === null) unknownParameters(query, ['property_id'])
    return { id, fault: null }
  } catch (fault) {
    return { id: null, fault }
  }
}

/** A body that is refused later for its form counts on the connection that it names, where it could be parsed. */
function inBody(bytes: Buffer): NamedProperty {
  const body = readStrictJson(bytes)
  return { id: idIn(body.value), fault: null, body }
}

const idIn = (json: unknown): string | null => {
  const id = typeof json === 'object' && json !== null && 'property_id' in json ? json.property_id : null
  return typeof id === 'string' ? id : null
}
