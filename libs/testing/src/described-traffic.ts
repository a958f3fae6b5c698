/** A request that a page has made, and its answer. */
export interface Exchanged {
  method: string
  /** Path and query. */
  target: string
  status: number
}

interface Parameter {
  $ref?: string
  name?: string
  in?: string
}

interface Call {
  parameters?: Parameter[]
  responses: Record<string, unknown>
}

/** The parts of an OpenAPI description by which traffic is judged. */
export interface Description {
  paths: Record<string, Record<string, Call>>
  components: { parameters?: Record<string, Parameter> }
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`)

/** Paths without placeholders come first: `/reservations/events` is not a reservation's id. */
const byPlaceholders = (one: string, other: string): number => one.split('{').length - other.split('{').length

/**
 * Finds traffic that a description does not cover: a path, a method, a query parameter or a status.
 * @param base path below which the description's paths stand
 * @returns a line for each, empty when all of it is described
 */
export function undescribed({ paths, components }: Description, base: string, traffic: readonly Exchanged[]): string[] {
  const templates = Object.keys(paths).sort(byPlaceholders)
  const queryOf = ({ parameters = [] }: Call): Set<string> => {
    const named = parameters.map((one) => (one.$ref ? components.parameters![one.$ref.split('/').at(-1)!]! : one))
    return new Set(named.filter((one) => one.in === 'query').map((one) => one.name!))
  }
  return traffic.flatMap(({ method, target, status }) => {
    const { pathname, searchParams } = new URL(target, 'http://any')
    const template = templates.find((path) => patternOf(base + path).test(pathname))
    const call = template === undefined ? undefined : paths[template]![method.toLowerCase()]
    if (!call) return [`${method} ${pathname} is not described`]
    const known = queryOf(call)
    const unknown = [...searchParams.keys()].filter((name) => !known.has(name))
    return [
      ...unknown.map((name) => `${method} ${pathname} has no parameter ${name}`),
      ...(String(status) in call.responses ? [] : [`${method} ${pathname} has no answer ${status}`]),
    ]
  })
}
