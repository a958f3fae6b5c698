import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { IDEMPOTENCY_KEY } from '@connectivity/contracts/idempotency-key'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { type Document, refTo, type Response, type Schema } from '../model.js'
import { bodySchemas } from '../request-bodies.js'
import { schemasOfTypes } from '../type-schemas.js'
import { type OperatorCall, operatorsCalls } from './operators-calls.js'

const JSON_TYPE = 'application/json'
const REFUSALS = [400, 401, 403, 404, 409, 429, 500, 503]
/** Further refusals of a change. */
const REFUSED_CHANGES = [413, 415, 422]

const json = (schema: Schema) => ({ [JSON_TYPE]: { schema } })
const text: Schema = { type: 'string' }

/** An answer: the record beside `schema_version`, a page of records, or any object. */
function answerSchema({ answer, list }: OperatorCall): Schema {
  if (answer === null) return { type: 'object' }
  const version = { type: 'object', properties: { schema_version: text }, required: ['schema_version'] }
  if (list === undefined) return { allOf: [version, refTo('schemas', answer)] }
  return {
    type: 'object',
    properties: {
      schema_version: text,
      [list]: { type: 'array', items: refTo('schemas', answer) },
      pagination: refTo('schemas', 'Pagination'),
    },
    required: ['schema_version', list, 'pagination'],
  }
}

const parameter = (name: string, place: string, schema: Schema, required = false) => ({
  ...{ name, in: place, required, schema },
})

const idempotencyKey = {
  ...parameter(IDEMPOTENCY_KEY, 'header', text),
  description: 'Makes a repetition harmless: the same call with the same key gets the first answer.',
}

const replayed = {
  'Idempotent-Replayed': {
    description: '`true` when this is the stored answer of the first request with this key.',
    schema: text,
  },
}

const tagged = {
  ETag: { description: 'Names the mappings, as GET /properties/{id}/mappings of partners does.', schema: text },
}

const isChange = ({ method }: OperatorCall): boolean => method !== 'GET'

function parametersOf(call: OperatorCall): object[] {
  const { path, list, filters = {} } = call
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter(name!, 'path', text, true))
  const asked = Object.entries(filters).map(([name, words]) =>
    parameter(name, 'query', words === 'text' ? text : { type: 'string', enum: [...words] }),
  )
  const paged = [
    parameter('limit', 'query', { type: 'integer', minimum: 1, maximum: 100 }),
    parameter('cursor', 'query', text),
  ]
  return [...inPath, ...asked, ...(list === undefined ? [] : paged), ...(isChange(call) ? [idempotencyKey] : [])]
}

function callOf(call: OperatorCall): object {
  const { operationId, summary, body, status = 200 } = call
  const headers = { ...(isChange(call) && replayed), ...(call.tagged && tagged) }
  const refused = { description: 'Refused; `error` says why.', content: json(refTo('schemas', 'ErrorBody')) }
  const statuses = [...REFUSALS, ...(isChange(call) ? REFUSED_CHANGES : [])]
  const responses: Record<string, Response> = {
    [status]: { description: 'Done.', ...(isChange(call) && { headers }), content: json(answerSchema(call)) },
    ...Object.fromEntries(statuses.map((each) => [each, refused])),
  }
  return {
    operationId,
    summary,
    parameters: parametersOf(call),
    ...(body && { requestBody: { required: true, content: json(refTo('schemas', body.name)) } }),
    responses,
  }
}

const schemas = (): Document['components']['schemas'] => {
  const bodies = [...new Set(operatorsCalls.flatMap(({ body }) => body ?? []))]
  const answers = operatorsCalls.flatMap(({ answer }) => answer ?? [])
  const named = new Set([...answers, ...bodies.map(({ name }) => name), 'Pagination', 'ErrorBody'])
  return bodySchemas(schemasOfTypes(named), bodies)
}

/** The description of the operators' interface, OpenAPI 3.0. */
export function operatorsDocument(): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const call of operatorsCalls) (paths[call.path] ??= {})[call.method.toLowerCase()] = callOf(call)
  return {
    openapi: '3.0.3',
    info: {
      title: 'Operators of partner connectivity',
      version: SCHEMA_VERSION,
      description: 'Answers on the private listener only. Every change takes a `reason` and leaves an audit entry.',
    },
    servers: [{ url: OPERATORS_PATH }],
    security: [{ Operator: [] }],
    paths,
    components: {
      securitySchemes: {
        Operator: { type: 'http', scheme: 'bearer', description: 'A token of the identity provider.' },
      },
      schemas: schemas(),
    },
  }
}
