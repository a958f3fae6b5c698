import { MAX_BODY_BYTES } from '@connectivity/contracts/partner-api'
import { MAX_VALUE_BYTES } from '@connectivity/contracts/query-parameters'
import { reservationEventTypes } from '@connectivity/contracts/reservation-events'
import { MAX_ID } from '@connectivity/contracts/message-fields'
import { apiCompare, breaking, type Diff, unclassified } from 'api-smart-diff'
import type { Document, Schema } from './model.js'

type Schemas = Document['components']['schemas']

/** A new error code is additive: for an unknown code, clients use the status. */
const isNewErrorCode = ({ action, path }: Diff): boolean =>
  action === 'add' && path.slice(-4, -1).join('/') === 'properties/code/enum'

/** `warnings` was released as a list that is always empty: its bound disappears, and its items are new. */
const isFirstWarning = ({ path }: Diff): boolean =>
  path.includes('responses') &&
  path.at(-2) === 'warnings' &&
  ['minItems', 'maxItems', 'items'].includes(String(path.at(-1)))

/** Bodies with a field that is not described are refused. */
const isLostRequestField = ({ action, path }: Diff): boolean =>
  action === 'remove' && path.includes('requestBody') && path.at(-2) === 'properties'

/** Bounds that the service has enforced since the first release, but that the description lacked. */
const isOldBound = ({ action, path, after }: Diff): boolean =>
  action === 'add' &&
  ((path.at(-1) === 'maxLength' &&
    ((path.includes('parameters') && [MAX_ID, MAX_VALUE_BYTES].includes(after as number)) ||
      (path.includes('requestBody') && [MAX_VALUE_BYTES, MAX_BODY_BYTES].includes(after as number)))) ||
    // No type comes twice.
    (path.slice(-2).join('/') === 'events/maxItems' && after === reservationEventTypes.length))

const isOtherSecurity = ({ type, path }: Diff): boolean => type === unclassified && path.includes('security')

/** A wider type of an answer: the tool considers it harmless, but it breaks clients' code. */
const isWiderAnswer = ({ action, path }: Diff): boolean =>
  path.includes('responses') &&
  ((path.at(-1) === 'type' && action === 'replace') || (path.at(-1) === 'nullable' && action === 'add'))

const breaks = (diff: Diff): boolean =>
  (diff.type === breaking && !isNewErrorCode(diff) && !isOldBound(diff) && !isFirstWarning(diff)) ||
  [isLostRequestField, isWiderAnswer, isOtherSecurity].some((rule) => rule(diff))

/** Merges the parts of every `allOf`: a schema may be written in one piece in one release and in parts in the next. */
function inOnePiece(value: unknown, schemas: Schemas): unknown {
  if (Array.isArray(value)) return value.map((one) => inOnePiece(one, schemas))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(merged(value as Schema, schemas))
  return Object.fromEntries(entries.map(([name, one]) => [name, inOnePiece(one, schemas)]))
}

function merged({ allOf, ...own }: Schema, schemas: Schemas): Schema {
  if (!allOf) return own
  const parts = [...allOf.map((part) => (part.$ref === undefined ? part : schemas[nameIn(part.$ref)]!)), own]
  const properties = parts.flatMap((part) => Object.entries(part.properties ?? {}))
  return { ...(Object.assign({}, ...parts) as Schema), properties: Object.fromEntries(properties) }
}

const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1)

const comparable = (document: Document): unknown => inOnePiece(document, document.components.schemas)

/**
 * Changes that break a client of the released description, each in one line.
 * Only calls are compared: components count where calls use them.
 */
export function breakingChanges(released: Document, current: Document): string[] {
  const { diffs } = apiCompare(comparable(released), comparable(current))
  const found = diffs.filter(({ path }) => path[0] === 'paths' || path[0] === 'security').filter(breaks)
  return found.map(({ action, path }) => `${action} ${path.join('/')}`)
}
