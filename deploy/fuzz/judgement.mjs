// Whether an answer is one that the description promises, whatever was asked.

const parsed = (text) => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: 'the body is not JSON' }
  }
}

const fits = (pattern, segment) => (pattern.startsWith('{') ? segment !== '' : pattern === segment)

/** The operation that serves a path as it was sent, null when there is none; written segments win over parameters. */
export function operationFor(document, method, path) {
  const segments = path.split('?', 1)[0].split('/')
  const templates = Object.keys(document.paths).filter((template) => {
    const patterns = template.split('/')
    return patterns.length === segments.length && patterns.every((pattern, index) => fits(pattern, segments[index]))
  })
  const [best] = templates.toSorted((a, b) => a.split('{').length - b.split('{').length)
  return document.paths[best]?.[method.toLowerCase()] ?? null
}

/** What holds of a path that is nobody's. */
const NOBODYS = new Set([400, 401, 404, 405, 413, 414, 429, 431])
const errorSchema = { $ref: '#/components/schemas/ErrorBody' }

/**
 * @param {{ operation: object | null, schemas: { faults: Function, resolved: Function } }} promised
 * @param {{ status: number, headers: Record<string, unknown>, text: string }} answer
 * @returns {string[]} what is wrong with it
 */
export function faultsOf({ operation, schemas }, { status, headers, text }) {
  const faults = []
  if (status >= 500) faults.push(`answered ${status}`)
  const described = operation ? operation.responses[status] : NOBODYS.has(status) && {}
  if (!described) return [...faults, `status ${status} is not described`]
  const correlationId = headers['x-correlation-id']
  if (typeof correlationId !== 'string') faults.push('no X-Correlation-Id')
  const schema = operation ? schemas.resolved(described).content?.['application/json'].schema : errorSchema
  if (!schema) return text === '' ? faults : [...faults, 'a body where none is described']
  const { value, fault } = parsed(text)
  if (fault) return [...faults, fault]
  faults.push(...schemas.faults(schema, value))
  // A replayed answer has the bytes of the first.
  const isFirst = headers['idempotent-replayed'] === undefined
  if (status >= 400 && isFirst && value?.error?.correlation_id !== correlationId) faults.push('two correlation ids')
  return faults
}
