// Printed texts: results and refusals.
import type { ConnectionWarning } from '@connectivity/contracts/operators-api'
import type { Command } from './command.ts'
import {
  type AnswerRecord,
  type Refused,
  type ServiceError,
  type ServiceFault,
  recordsOf,
} from './operators-interface.ts'
import { aligned, fields, safe, table } from './table.ts'

/** Bytes of a message as text; scripts get them as they are. */
const readable = ({ value_base64, ...record }: AnswerRecord): AnswerRecord =>
  value_base64 === undefined ? record : { ...record, value: Buffer.from(value_base64, 'base64').toString('utf8') }

const warningLine = ({ code, pointer, message }: ConnectionWarning): string =>
  safe(`WARNING ${code} (${pointer}): ${message}`)

/** One record, a field per line, with the service's warnings below. */
function recordLines({ warnings = [], ...record }: AnswerRecord): string[] {
  const lines = fields(readable(record))
  return warnings.length === 0 ? lines : [...lines, '', ...warnings.map(warningLine)]
}

/** A row of a list has room for the codes of its warnings. */
const withCodes = (record: AnswerRecord): Readonly<Record<string, unknown>> =>
  record.warnings ? { ...record, warnings: record.warnings.map(({ code }) => code) } : record

/** The answer for a terminal. @param width columns of the terminal; undefined where nothing is cut */
export function shown({ list, columns, texts }: Command, json: AnswerRecord, width?: number): string {
  if (!list) return `${recordLines(json).join('\n')}\n`
  const records = recordsOf(json, list).map(withCodes)
  return records.length === 0 ? 'Nothing found.\n' : `${table(columns, records, { texts, width }).join('\n')}\n`
}

/** Hint for a list with more records, else empty. */
export function whatFollows({ list }: Pick<Command, 'list'>, { pagination }: AnswerRecord): string {
  if (!list || !pagination?.has_more) return ''
  const { count, next_cursor } = pagination
  const onward = next_cursor === null ? '--all or --limit N' : `--all, --limit N, or --cursor ${next_cursor}`
  return `${count} shown, there are more: add ${onward}\n`
}

const detailRow = ({ pointer, code, message }: ServiceFault): string[] =>
  [`  ${pointer || '(body)'}`, code, message ?? ''].map(safe)

/** Faults that the message of the refusal does not say already. */
const faultsOf = ({ message, details = [] }: ServiceError): readonly ServiceFault[] =>
  details.filter(({ message: own, pointer }) => own !== message || !message.includes(pointer))

/** The service's refusal, a line per fault. */
export function refusal({
  status,
  error,
  text,
  correlationId,
}: Pick<Refused, 'status' | 'error' | 'text' | 'correlationId'>): string {
  if (!error)
    return `The answer ${status} is not the service's own: ${safe(text.slice(0, 200))}\nCheck the given address.\n`
  const lines = [
    safe(`${error.message} (${status} ${error.code})`),
    ...aligned(faultsOf(error).map(detailRow)),
    ...(error.retry_after_seconds ? [`Try again in ${error.retry_after_seconds} s.`] : []),
    safe(`correlation id: ${error.correlation_id ?? correlationId}`),
  ]
  return `${lines.join('\n')}\n`
}
