import type { Operation } from '@connectivity/contracts/operation'
import { BASE_PATH, maxBodyBytesOf, operations } from '@connectivity/contracts/partner-api'
import { MAX_VALUE_BYTES } from '@connectivity/contracts/query-parameters'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { ErrorSamples } from '../errors/error-samples.js'
import { type Answer, type CallText, tags } from './call-text.js'
import { calls } from './calls/calls.js'
import { byStatus, codesOf, errorResponse, errorResponseName, errorSchemas, isTokenCall } from './errors-of.js'
import { headersOf, IGNORED_PARAMETERS, responseHeaders } from './headers.js'
import { about, contact, securitySchemes } from './introduction.js'
import { type Call, type Document, refTo, type Response } from './model.js'
import { parametersOf, sharedParameters } from './parameters.js'
import { bodySchemas, withLongestTexts } from './request-bodies.js'
import { schemasOfTypes } from './type-schemas.js'

const JSON_TYPE = 'application/json'
const SIGNED = { KeyId: [], Timestamp: [], Signature: [] }
const SESSION = { PortalSession: [] }

type Schemas = Document['components']['schemas']

/** A call and its words. */
interface Described {
  operation: Operation
  text: CallText
}

const keyOf = ({ method, path }: Operation): string => `${method} ${path}`

/** @throws Error when the operation has no description */
export function textOf(operation: Operation): CallText {
  const text = calls[keyOf(operation)]
  if (text) return text
  throw new Error(`${keyOf(operation)} is not described: add it to tools/docs/src/openapi/calls`)
}

/** The description of the partner interface, OpenAPI 3.0, from the operations and types of libs/contracts. */
export function openApiDocument(samples: ErrorSamples): Document {
  const described = operations.map((operation) => ({ operation, text: textOf(operation) }))
  const schemas = schemasOf(described)
  const responses: Record<string, Response> = {}
  const paths: Document['paths'] = {}
  for (const { operation, text } of described) {
    const path = (paths[operation.path] ??= {})
    path[operation.method.toLowerCase()] = callOf(operation, text, schemas)
    for (const codes of byStatus(codesOf(operation, text)).values()) {
      responses[errorResponseName(operation, codes)] ??= errorResponse(operation, codes, samples)
    }
  }
  return {
    openapi: '3.0.3',
    info: { title: 'Partner connectivity', version: SCHEMA_VERSION, description: about, contact },
    servers: [{ url: BASE_PATH, description: 'The base address that operations assigned to you.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [SIGNED, { Bearer: [] }, SESSION],
    paths,
    'x-webhooks': webhooksOf(described),
    components: {
      securitySchemes,
      parameters: sharedParameters,
      headers: responseHeaders,
      responses: sorted(responses),
      schemas,
    },
  }
}

function callOf(operation: Operation, text: CallText, schemas: Schemas): Call {
  const { scope, open } = operation
  const { operationId, tag, summary, description, answers, callbacks } = text
  return {
    operationId,
    tags: [tag],
    summary,
    description: scope === null ? description : `${description}\n\nNeeds the scope \`${scope}\`.`,
    ...(open && { security: operation.method === 'DELETE' ? [SESSION] : [] }),
    parameters: parametersOf(operation, text),
    ...bodyOf(operation, text, schemas),
    responses: {
      ...Object.fromEntries(answers.map((answer) => [answer.status, success(operation, text, answer)])),
      ...(text.tagged && { 304: notModified(text) }),
      ...refusals(operation, text),
    },
    ...(callbacks && { callbacks }),
    ...(scope !== null && { 'x-required-scope': scope }),
  }
}

/** For example `At most 16 KiB.` */
function sizeOf(operation: Operation): string {
  const kib = maxBodyBytesOf(operation) / 1024
  return `At most ${kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`}.`
}

function bodyOf(operation: Operation, { requests }: CallText, schemas: Schemas): Pick<Call, 'requestBody'> {
  const { body } = operation
  if (isTokenCall(operation)) {
    const form = { schema: refTo('schemas', 'TokenRequest'), examples: requests! }
    const content = { 'application/x-www-form-urlencoded': form, [JSON_TYPE]: form }
    return { requestBody: { required: true, description: `Form or JSON. ${sizeOf(operation)}`, content } }
  }
  if (!body) return {}
  const content = { [JSON_TYPE]: { schema: refTo('schemas', body.name), examples: requests! } }
  const required = schemas[body.name]!.required !== undefined
  return { requestBody: { required, description: `Unknown fields are refused. ${sizeOf(operation)}`, content } }
}

function success({ method, open }: Operation, { tagged }: CallText, answer: Answer): Response {
  const { description, type, headers = [], examples } = answer
  const ofChanges = method === 'GET' ? [] : ['Idempotent-Replayed']
  const own = [...headers, ...(tagged ? ['ETag'] : []), ...(open ? [] : [...ofChanges, IGNORED_PARAMETERS])]
  const content = type === null ? {} : { content: { [JSON_TYPE]: { schema: answerSchema(type), examples } } }
  return { description, headers: headersOf(own, true), ...content }
}

/** A reference to one of our types; other types are described as an object. */
const answerSchema = (type: string) => (type === 'object' ? { type: 'object' } : refTo('schemas', type))

const notModified = ({ answers }: CallText): Response => ({
  description: 'Not modified: your copy is current.',
  headers: headersOf([...(answers[0]!.headers ?? []), 'ETag', IGNORED_PARAMETERS], true),
})

const refusals = (operation: Operation, text: CallText): Record<string, { $ref: string }> =>
  Object.fromEntries(
    [...byStatus(codesOf(operation, text))].map(([status, codes]) => [
      status,
      refTo('responses', errorResponseName(operation, codes)),
    ]),
  )

/** The same requests as in `callbacks` of the calls, for readers that look for webhooks. */
function webhooksOf(described: readonly Described[]): Document['x-webhooks'] {
  const sent = described.flatMap(({ text }) => Object.values(text.callbacks ?? {}).flatMap((one) => Object.values(one)))
  return Object.fromEntries(sent.map(({ post: { operationId, ...post } }) => [operationId, { post }]))
}

function schemasOf(described: readonly Described[]): Schemas {
  const answers = described.flatMap(({ text }) => [...text.answers.map(({ type }) => type), ...(text.sentTypes ?? [])])
  const bodies = described.flatMap(({ operation: { body } }) => body ?? [])
  const types = answers.filter((type): type is string => type !== null && type !== 'object')
  const named = new Set([...types, ...bodies.map(({ name }) => name), 'ErrorBody', 'TokenRequest'])
  const all = bodySchemas(schemasOfTypes(named), bodies)
  for (const { operation } of described) {
    const name = isTokenCall(operation) ? 'TokenRequest' : operation.body?.name
    if (name) all[name] = withLongestTexts(all[name]!, longestTextOf(operation))
  }
  const statuses = described.flatMap(({ operation, text }) => [...byStatus(codesOf(operation, text)).keys()])
  return sorted(withoutUnused({ ...all, ...errorSchemas(new Set(statuses), all) }, named))
}

/** Longest text in the body of a call, unless its field has a bound of its own. */
const longestTextOf = (operation: Operation): number =>
  isTokenCall(operation) ? MAX_VALUE_BYTES : maxBodyBytesOf(operation)

/** Leaves out types that are only inlined where they are used, because they may be null there. */
function withoutUnused(schemas: Schemas, named: ReadonlySet<string>): Schemas {
  const text = JSON.stringify(schemas)
  const isUsed = (name: string) =>
    named.has(name) || /^ErrorBody\d/.test(name) || text.includes(`"${refTo('schemas', name).$ref}"`)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => isUsed(name)))
}

const sorted = <T>(values: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1)))
