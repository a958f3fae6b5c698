import { pathOf } from '@connectivity/contracts/request-target'
import { BASE_PATH, type Operation, operations } from '@connectivity/contracts/partner-api'

/** The operations at one path of the partner interface. */
export interface PartnerRoute {
  operations: readonly Operation[]
  /** The path segment that stands at `{id}`, as sent. */
  id: string | null
}

interface Template {
  pattern: RegExp
  operations: Operation[]
}

const byPath = Map.groupBy(operations, ({ path }) => path)
const exact = new Map<string, PartnerRoute>()
const templates: Template[] = []
for (const [path, found] of byPath) {
  if (path.includes('{id}')) {
    templates.push({ pattern: new RegExp(`^${BASE_PATH}${path.replace('{id}', '([^/]+)')}$`), operations: found })
  } else {
    exact.set(BASE_PATH + path, { operations: found, id: null })
  }
}

/** Looks a raw request target up without any normalisation: `//`, another case or a trailing slash is another path. */
export function matchTarget(target: string): PartnerRoute | null {
  const path = pathOf(target)
  const found = exact.get(path)
  if (found) return found
  for (const { pattern, operations } of templates) {
    const match = pattern.exec(path)
    if (match) return { operations, id: match[1]! }
  }
  return null
}

/** The route's path with `{id}` in place of what was sent. */
export const templateOf = ({ operations }: PartnerRoute): string => BASE_PATH + operations[0]!.path

/** Whether callers prove at the path itself who they are. */
export const isOpen = (route: PartnerRoute): boolean => route.operations.some(({ open }) => open === true)

/** HEAD is GET without a body. */
const meaning = (method: string): string => (method === 'HEAD' ? 'GET' : method)

/** The operation of a route that the method means, if there is one. */
export const operationFor = (route: PartnerRoute, method: string): Operation | undefined =>
  route.operations.find((operation) => operation.method === meaning(method))

/** Value of the `Allow` header. */
export const allowedMethods = (route: PartnerRoute): string =>
  route.operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
