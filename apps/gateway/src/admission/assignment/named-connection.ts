import { unknownParameters } from '@connectivity/contracts/parameter-names'
import { readParameter } from '@connectivity/contracts/query-parameters'
import { readStrictJson, type StrictReading } from '@connectivity/service-kit/http'
import { isId } from '@connectivity/service-kit/text'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import { idInPath } from './id-in-path.js'

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

/**
 * Reads the connection that a request names, from the path, the query or the body as its operation defines. A body that
 * is refused later still counts against the connection that it names.
 * @param read the parsed body if it has been parsed already
 */
export function namedConnection(
  { route, operation, query, body }: Pick<PartnerRequest, 'route' | 'operation' | 'query' | 'body'>,
  read?: StrictReading,
): NamedConnection {
  switch (operation?.property) {
    case 'path':
      return readId(() => idInPath(route!, 'property_id'))
    case 'query':
      return readId(() => inQuery(query))
    case 'body': {
      const parsed = read ?? readStrictJson(body.bytes)
      return { id: idIn(parsed.value), fault: null, body: parsed }
    }
    default:
      return { id: null, fault: null }
  }
}

/**
 * The connection that a request names, for logs: unchecked, but well-formed. The body of an
 * unauthenticated request is not parsed.
 */
export function namedForLogs(
  request: Pick<PartnerRequest, 'facts' | 'route' | 'operation' | 'query' | 'body'>,
): string | null {
  const isInBody = request.operation?.property === 'body'
  const id = request.facts.namedId ?? (isInBody ? null : namedConnection(request).id)
  return id !== null && isId(id) ? id : null
}

function readId(read: () => string | null): NamedConnection {
  try {
    return { id: read(), fault: null }
  } catch (fault) {
    return { id: null, fault }
  }
}

function inQuery(query: string): string | null {
  const id = readParameter(query, 'property_id')
  // A misspelt name gets a better message than "missing".
  if (id === null) unknownParameters(query, ['property_id'])
  return id
}

const idIn = (json: unknown): string | null => {
  const id = typeof json === 'object' && json !== null && 'property_id' in json ? json.property_id : null
  return typeof id === 'string' ? id : null
}
