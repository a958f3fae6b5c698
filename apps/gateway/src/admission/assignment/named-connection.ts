import { unknownParameters } from '@connectivity/contracts/parameter-names'
import { readParameter } from '@connectivity/contracts/query-parameters'
import { readStrictJson, type StrictReading } from '@connectivity/service-kit/http'
import { isId } from '@connectivity/service-kit/text'
import type { PartnerRequest } from '../../http/partner-request.js'

/** The connection that a request names, read once. Limits count even an id that admission refuses later. */
export interface NamedConnection {
  /** Unchecked; null when the request names no connection or names it unreadably. */
  id: string | null
  /** Error about the parameter, for admission to throw; null for a valid one, or when the body names the connection. */
  fault: unknown
  /** The parsed body if it was parsed for the id, so that it is not parsed twice. */
  body?: StrictReading
}

/** The beginning of a body whose first key is `property_id`; a second one would be refused. */
const FIRST_KEY = /^\s*\{\s*"property_id"\s*:\s*"([\w.~-]{1,128})"/
const BEGINNING = 256

/** The connection that a body names before everything else, without parsing the rest; null when it names it later. */
export const idAtBeginning = (body: Buffer): string | null =>
  FIRST_KEY.exec(body.toString('latin1', 0, BEGINNING))?.[1] ?? null

const NONE: NamedConnection = { id: null, fault: null }

/**
 * Reads the connection that a request names, from the path, the query or the body as its operation defines.
 * @param read the parsed body if it has been parsed already
 */
export function namedConnection(
  request: Pick<PartnerRequest, 'route' | 'operation' | 'query' | 'body'>,
  read?: StrictReading,
): NamedConnection {
  if (request.operation?.property === 'body') return inBody(read ?? readStrictJson(request.body.bytes))
  return namedInTarget(request)
}

/** The connection that the path or query names; none for an operation whose body names it. */
function namedInTarget({
  route,
  operation,
  query,
}: Pick<PartnerRequest, 'route' | 'operation' | 'query'>): NamedConnection {
  if (operation?.property === 'path' && route) return { id: route.id, fault: null }
  return operation?.property === 'query' ? inQuery(query) : NONE
}

/**
 * The connection that a request names, for logs: unchecked, but only an id with the form of ours. The body of a
 * stranger is not parsed for it.
 */
export function namedForLogs(request: Pick<PartnerRequest, 'facts' | 'route' | 'operation' | 'query'>): string | null {
  const id = request.facts.namedId ?? namedInTarget(request).id
  return id !== null && isId(id) ? id : null
}

function inQuery(query: string): NamedConnection {
  try {
    const id = readParameter(query, 'property_id')
    // A misspelt name gets a better message than "missing".
    if (id === null) unknownParameters(query, ['property_id'])
    return { id, fault: null }
  } catch (fault) {
    return { id: null, fault }
  }
}

/** A body that parses but is refused later still counts against the connection that it names. */
function inBody(body: StrictReading): NamedConnection {
  return { id: idIn(body.value), fault: null, body }
}

const idIn = (json: unknown): string | null => {
  const id = typeof json === 'object' && json !== null && 'property_id' in json ? json.property_id : null
  return typeof id === 'string' ? id : null
}
