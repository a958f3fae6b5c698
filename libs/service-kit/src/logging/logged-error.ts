/** An error as a log line shows it. */
export interface LoggedError {
  type: string
  message: string
  code?: string
  /** Names from a PostgreSQL error, never values. */
  table?: string
  constraint?: string
  stack?: string
  cause?: LoggedError
  errors?: LoggedError[]
}

/** Depth of the chain of causes that is shown. */
const MAX_DEPTH = 3
/** SQLSTATE class 22: the message quotes the rejected value. */
const DATA_EXCEPTION = /^22...$/

const NAMES = ['code', 'table', 'constraint'] as const

/** Hides values: parsers quote the text they could not read. */
function messageOf({ name, message }: Error, code: unknown): string {
  if (name === 'SyntaxError') return 'malformed text (not shown)'
  if (!DATA_EXCEPTION.test(String(code))) return message
  const [known] = message.split(/[:"]/, 1)
  return known === message ? message : `${known} (value not shown)`
}

const framesOf = ({ stack = '' }: Error): string => {
  const start = stack.search(/\n +at /)
  return start === -1 ? '' : stack.slice(start)
}

/**
 * Strips an error of the rows, parameters and texts that PostgreSQL, TypeORM and parsers add: they would put guest data
 * and secrets into the log.
 */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error' }
  const fields = error as Error & Record<string, unknown>
  const message = messageOf(error, fields.code)
  const logged: LoggedError = { type: error.name, message }
  for (const name of NAMES) if (typeof fields[name] === 'string') logged[name] = fields[name]
  logged.stack = `${error.name}: ${message}${framesOf(error)}`
  if (depth >= MAX_DEPTH) return logged
  if (error.cause instanceof Error) logged.cause = loggedError(error.cause, depth + 1)
  if (error instanceof AggregateError) logged.errors = error.errors.map((one) => loggedError(one, depth + 1))
  return logged
}
