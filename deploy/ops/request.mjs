// Turns a command and its values into a call of the operators' interface.
import { isChange } from './flags.mjs'
import { UsageError } from './usage-error.mjs'

const snake = (name) => name.replaceAll('-', '_')

/** Checks an id, which becomes a part of the path: it must not lead to another path (`..`). */
function idOf(name, text) {
  if (/^[A-Za-z0-9_-]{1,128}$/.test(text)) return text
  throw new UsageError(`--${name} "${text}" is no id; ids look like app_…, con_… or dl_….`)
}

/** Sets the value at a JSON pointer without escapes. */
function put(body, pointer, value) {
  const names = pointer.slice(1).split('/')
  const last = names.pop()
  const place = names.reduce((object, name) => (object[name] ??= {}), body)
  place[last] = Array.isArray(place[last]) ? [...place[last], ...value] : value
}

/** @returns `{ method, path, query: Map, body?, key? }`; paging flags are not part of it */
export function requestOf(command, values) {
  const inPath = new Set()
  const path = command.path.replace(/\{(.+?)\}/g, (_, name) => {
    inPath.add(name)
    return idOf(name, values[name])
  })
  const sent = Object.keys(command.flags).filter((name) => !inPath.has(name) && values[name] !== undefined)
  const request = { method: command.method, path, query: new Map() }
  if (!isChange(command)) return { ...request, query: new Map(sent.map((name) => [snake(name), values[name]])) }
  const body = {}
  for (const name of sent) put(body, command.flags[name].field ?? `/${snake(name)}`, values[name])
  return { ...request, body: { ...body, reason: values.reason }, key: values['idempotency-key'] }
}
