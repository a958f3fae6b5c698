import { pathOf } from '@connectivity/contracts/request-target'
import type { Operation } from '@connectivity/contracts/operation'
import { BASE_PATH, operations } from '@connectivity/contracts/partner-api'

/** The operations at one path of the partner interface. */
export interface PartnerRoute {
  operations: readonly Operation[]
  /** The path segment in place of `{id}`, as sent. */
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

/** Looks up a raw request target without normalisation: `//`, another case or a trailing slash is another path. */
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

/** The route's path with `{id}` in place of the actual id. */
export const templateOf = ({ operations }: PartnerRoute): string => BASE_PATH + operations[0]!.path

/** Whether the path authenticates its callers itself, such as POST /oauth/token. */
export const isOpen = (route: PartnerRoute): boolean => route.operations.some(({ open }) => open === true)

/** HEAD is GET without a body. */
const meaning = (method: string): string => (method === 'HEAD' ? 'GET' : method)

/** The operation of a route for a method, if there is one. */
export const operationFor = (route: PartnerRoute, method: string): Operation | undefined =>
  route.operations.find((operation) => operation.method === meaning(method))

/** Value of the `Allow` header. */
export const allowedMethods = (route: PartnerRoute): string =>
  route.operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
