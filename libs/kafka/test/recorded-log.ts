import type { Logger } from '@connectivity/service-kit/logging'

/** One line as the code wrote it. */
export interface LoggedLine {
  level: string
  message: string
  fields: Record<string, unknown>
}

/** A logger that keeps its lines for the test. */
export function recordedLog(): { logger: Logger; lines: LoggedLine[] } {
  const lines: LoggedLine[] = []
  const write = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, message, fields })
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']
  const logger = Object.fromEntries(levels.map((level) => [level, write(level)]))
  return { logger: logger as unknown as Logger, lines }
}
