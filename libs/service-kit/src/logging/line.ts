import { type Logger, symbols } from 'pino'

type Serialise = (this: Logger, fields: object, message: string | undefined, level: number, time: string) => string

/** The parts of pino's loggers that its types leave out; children inherit them. */
interface Internals {
  [symbols.asJsonSym]: Serialise
  /** Fields of every line of a logger, serialised, each with a comma in front. */
  [symbols.chindingsSym]: string
}

/**
 * Makes a logger and its children serialise the fields of a line at once. Pino does it field by field, which takes
 * three times as long: a tenth of what a short request costs. Pino still serialises lines with an error, and those that
 * JSON.stringify refuses, such as circular values.
 * @returns the logger itself
 */
export function serialiseAtOnce(logger: Logger): Logger {
  const internals = logger as Logger & Internals
  const fieldByField = internals[symbols.asJsonSym]
  internals[symbols.asJsonSym] = function (fields, message, level, time) {
    if ('err' in fields) return fieldByField.call(this, fields, message, level, time)
    try {
      const own = (this as Logger & Internals)[symbols.chindingsSym]
      const msg = message === undefined ? '' : `,"msg":${JSON.stringify(message)}`
      return `{"level":${level}${time}${own}${members(fields)}${msg}}\n`
    } catch {
      return fieldByField.call(this, fields, message, level, time)
    }
  }
  return logger
}

/** The members of an object as JSON, each with a comma in front. */
function members(fields: object): string {
  const json = JSON.stringify(fields)
  return json === '{}' ? '' : `,${json.slice(1, -1)}`
}
