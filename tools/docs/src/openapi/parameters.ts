import type { Operation } from '@connectivity/contracts/operation'
import { MAX_VALUE_BYTES } from '@connectivity/contracts/query-parameters'
import { MAX_ID } from '@connectivity/contracts/message-fields'
import type { CallText } from './call-text.js'
import { type Parameter, refTo, type Schema } from './model.js'

const PROPERTY_ID = 'con_01jd3v8m6qf0y4b7t2x9k5n1ha'
const id: Schema = { type: 'string', minLength: 1 }

/** Adds a longest length where the schema has none yet: ids in paths, texts in queries. */
function bounded(parameter: Parameter): Parameter {
  const { in: place, schema } = parameter
  if (place === 'header' || schema.type !== 'string' || schema.enum || schema.format) return parameter
  return { ...parameter, schema: { ...schema, maxLength: place === 'path' ? MAX_ID : MAX_VALUE_BYTES } }
}

/** Parameters that calls share. */
export const sharedParameters: Record<string, Parameter> = {
  PropertyId: bounded({
    name: 'property_id',
    in: 'query',
    required: true,
    description: 'Id of a property connection from GET /properties.',
    schema: id,
    example: PROPERTY_ID,
  }),
  ConnectionId: bounded({
    name: 'id',
    in: 'path',
    required: true,
    description: 'Id of a property connection from GET /properties.',
    schema: id,
    example: PROPERTY_ID,
  }),
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'A fresh UUID for every new change, the same one when a request is repeated. Answers are kept for 72 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    example: '6b1e1f2a-8d1c-4d8e-9a70-1f6a2f0c3b55',
  },
  CorrelationId: {
    name: 'X-Correlation-Id',
    in: 'header',
    required: false,
    description: 'Your own id for this request; a malformed one is replaced by one of ours.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{8,64}$' },
    example: '0f8fad5b-d9cb-469f-a165-70867728950e',
  },
  Wait: {
    name: 'wait',
    in: 'query',
    required: false,
    description:
      'Seconds for which an answer without news, an empty page or a 304, is held until there is something to answer. By default two requests of a connection wait at once; a further one is answered at once.',
    schema: { type: 'integer', minimum: 0, maximum: 25, default: 0 },
    example: 25,
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    description:
      '`wait=N` has the same effect as the parameter `wait`, which takes precedence. Unreadable preferences are ignored.',
    schema: { type: 'string' },
    example: 'wait=25',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'ETag of the answer that you have; 304 without a body when nothing has changed.',
    schema: { type: 'string' },
    example: 'W/"1-1763633730123-50-1"',
  },
}

const where = (holds: boolean, name: string): { $ref: string }[] => (holds ? [refTo('parameters', name)] : [])

/** All parameters of a call. */
export const parametersOf = ({ property, method, open, waits }: Operation, { parameters = [], tagged }: CallText) => [
  ...where(property === 'path', 'ConnectionId'),
  ...where(property === 'query', 'PropertyId'),
  ...parameters.map(bounded),
  ...where(waits === true, 'Wait'),
  ...where(waits === true, 'Prefer'),
  ...where(method !== 'GET' && !open, 'IdempotencyKey'),
  ...where(tagged === true, 'IfNoneMatch'),
  ...where(true, 'CorrelationId'),
]
