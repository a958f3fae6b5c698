import type { LoggerService } from '@nestjs/common'
import { pino, type Logger } from 'pino'
import { serialiseAtOnce } from './line.js'
import { loggedError } from './logged-error.js'

export type { Logger }

/** Longest delay of a line, ms: lines are written in batches. At exit the rest is written at once. */
const FLUSH_EVERY = 200
const FLUSH_BYTES = 16_000
/** Most buffered output, bytes: when the reader of the log stops reading, lines are dropped beyond this. */
const MOST_WAITING = 16 * 1024 * 1024

/**
 * The service's JSON logger on standard output; every line names service and version of the build. Never give it
 * secrets, bodies or guest data.
 */
export const createLogger = (service: string, level: string, version?: string): Logger =>
  serialiseAtOnce(
    pino(
      {
        level,
        base: { service, version },
        timestamp: pino.stdTimeFunctions.isoTime,
        serializers: { err: (err: unknown) => loggedError(err) },
      },
      pino.destination({
        fd: 1,
        sync: false,
        minLength: FLUSH_BYTES,
        maxLength: MOST_WAITING,
        periodicFlush: FLUSH_EVERY,
      }),
    ),
  )

const contextOf = (rest: unknown[]): { context?: unknown } => {
  const context = rest.at(-1)
  return typeof context === 'string' ? { context } : {}
}

/** Sends Nest's own messages to the same log; its start-up chatter goes to debug. */
export class NestLog implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug(contextOf(rest), String(message))
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn(contextOf(rest), String(message))
  }

  error(message: unknown, ...rest: unknown[]): void {
    const err = message instanceof Error ? message : undefined
    this.logger.error({ ...contextOf(rest), err }, err ? err.message : String(message))
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.logger.fatal(contextOf(rest), String(message))
  }
}

/** Injection token of the service's logger. */
export const LOGGER = Symbol('logger')
