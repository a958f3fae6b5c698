import { pathOf } from '@connectivity/contracts/request-target'
import type { Operation } from '@connectivity/contracts/operation'
import { BASE_PATH, operations } from '@connectivity/contracts/partner-api'

/** The operations at one path of the partner interface. */
export interface PartnerRoute {
  operations: readonly Operation[]
  /** The path, with a name in braces in place of the actual id. */
  template: string
  /** The path segment in place of that name, as sent. */
  id: string | null
}

interface PathPattern {
  pattern: RegExp
  template: string
  operations: Operation[]
}

const byPath = Map.groupBy(operations, ({ path }) => path)
const exact = new Map<string, PartnerRoute>()
const patterns: PathPattern[] = []
for (const [path, found] of byPath) {
  const template = BASE_PATH + path
  if (path.includes('{')) {
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/, '([^/]+)')}$`)
    patterns.push({ pattern, template, operations: found })
  } else {
    exact.set(template, { operations: found, template, id: null })
  }
}

/** Looks up a raw request target without normalisation: `//`, another case or a trailing slash is another path. */
export function matchTarget(target: string): PartnerRoute | null {
  const path = pathOf(target)
  const found = exact.get(path)
  if (found) return found
  for (const { pattern, template, operations } of patterns) {
    const match = pattern.exec(path)
    if (match) return { operations, template, id: match[1]! }
  }
  return null
}

/** Whether the path authenticates its callers itself, such as POST /oauth/token. */
export const isOpen = (route: PartnerRoute | null): boolean =>
  route !== null && route.operations.some(({ open }) => open === true)

/** HEAD is GET without a body. */
const meaning = (method: string): string => (method === 'HEAD' ? 'GET' : method)

/** The operation of a route for a method, if there is one. */
export const operationFor = (route: PartnerRoute, method: string): Operation | undefined =>
  route.operations.find((operation) => operation.method === meaning(method))

/** Value of the `Allow` header. */
export const allowedMethods = (route: PartnerRoute): string =>
  route.operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
