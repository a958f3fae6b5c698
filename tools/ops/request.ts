// Turns a command and its values into a call of the operators' interface.
import type { Call, Command, Values } from './command.ts'
import { isChange } from './flags.ts'
import { UsageError } from './usage-error.ts'

/** Parameters by name; sent as texts. */
export type Query = ReadonlyMap<string, unknown>

/** A call of the operators' interface. */
export interface ServiceRequest {
  method: Call['method']
  /** Below `/ops/v1`. */
  path: string
  /** Without the parameters of paging. */
  query: Query
  body?: Record<string, unknown>
  /** The `Idempotency-Key`. */
  key?: string
}

const snake = (name: string): string => name.replaceAll('-', '_')

/** Ids that others choose, so that any text may be one. */
const FOREIGN_IDS = new Set(['reservation-id'])

/** Checks an id, which becomes a part of the path: it must not lead to another path (`..`). */
function idOf(name: string, text: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(text)) return text
  if (FOREIGN_IDS.has(name) && !/^\.{0,2}$/.test(text)) return encodeURIComponent(text)
  throw new UsageError(`--${name} "${text}" is not an id; ids look like app_…, con_… or dl_….`)
}

/** Name of the query parameter of a flag. */
const parameterOf = ({ flags }: Command, name: string): string => flags[name]?.field?.slice(1) ?? snake(name)

/** Sets the value at a JSON pointer without escapes. */
function put(body: Record<string, unknown>, pointer: string, value: unknown): void {
  const names = pointer.slice(1).split('/')
  const last = names.pop() ?? ''
  const place = names.reduce((object, name) => (object[name] ??= {}) as Record<string, unknown>, body)
  const before = place[last]
  place[last] = Array.isArray(before) ? before.concat(value) : value
}

/** The request for a command; the flags of paging are not part of it. @throws UsageError */
export function requestOf(command: Command, values: Values): ServiceRequest {
  const inPath = new Set<string>()
  const path = command.path.replace(/\{(.+?)\}/g, (_, name: string) => {
    inPath.add(name)
    return idOf(name, String(values[name]))
  })
  const isSent = (name: string) => !inPath.has(name) && !command.flags[name]?.isLocal && values[name] !== undefined
  const sent = Object.keys(command.flags).filter(isSent)
  const request: ServiceRequest = { method: command.method, path, query: new Map() }
  if (!isChange(command))
    return { ...request, query: new Map(sent.map((name) => [parameterOf(command, name), values[name]])) }
  const body: Record<string, unknown> = {}
  for (const name of sent) put(body, command.flags[name]?.field ?? `/${snake(name)}`, values[name])
  return { ...request, body: { ...body, reason: values.reason }, key: values['idempotency-key'] }
}
