/** What a log line says about an error. */
export interface LoggedError {
  type: string
  message: string
  code?: string
  /** Of a PostgreSQL error: names, never values. */
  table?: string
  constraint?: string
  stack?: string
  cause?: LoggedError
  errors?: LoggedError[]
}

/** Causes of causes that are still shown. */
const MAX_DEPTH = 3
/** SQLSTATE class 22: the message quotes the value that would not do. */
const DATA_EXCEPTION = /^22...$/

const NAMES = ['code', 'table', 'constraint'] as const

/** Parsers quote what they could not read. */
function messageOf({ name, message }: Error, code: unknown): string {
  if (name === 'SyntaxError') return 'malformed text (not shown)'
  return DATA_EXCEPTION.test(String(code)) ? message.replace(/[:"].*$/s, ' (value not shown)') : message
}

const framesOf = ({ stack = '' }: Error): string => {
  const start = stack.search(/\n +at /)
  return start === -1 ? '' : stack.slice(start)
}

/**
 * An error without the rows, parameters and texts that PostgreSQL, TypeORM and parsers put into theirs: guests and
 * secrets would end in the log with them.
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
