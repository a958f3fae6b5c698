// Printed texts: results and refusals.
import { SELF } from './help.mjs'
import { aligned, fields, safe, table } from './table.mjs'

/** Bytes of a message as text; scripts get them as they are. */
const readable = ({ value_base64, ...record }) =>
  value_base64 === undefined ? record : { ...record, value: Buffer.from(value_base64, 'base64').toString('utf8') }

const warningLine = ({ code, pointer, message }) => safe(`WARNING ${code} (${pointer}): ${message}`)

/** One record, a field per line, with the service's warnings below. */
function recordLines({ warnings = [], ...record }) {
  const lines = fields(readable(record))
  return warnings.length === 0 ? lines : [...lines, '', ...warnings.map(warningLine)]
}

/** A row of a list has room for the codes of its warnings. */
const withCodes = (record) =>
  record.warnings ? { ...record, warnings: record.warnings.map(({ code }) => code) } : record

/** @returns {string} the answer for a terminal */
export function shown({ list, columns }, json) {
  if (!list) return `${recordLines(json).join('\n')}\n`
  const records = json[list].map(withCodes)
  return records.length === 0 ? 'Nothing found.\n' : `${table(columns, records).join('\n')}\n`
}

/** @returns {string} what to say when a list goes on, else nothing */
export function whatFollows({ list }, { pagination }) {
  if (!list || !pagination.has_more) return ''
  return `${pagination.count} shown, there are more: add --all, --limit N, or --cursor ${pagination.next_cursor}\n`
}

const detailRow = ({ pointer, code, message }) => [`  ${pointer || '(body)'}`, code, message ?? ''].map(safe)

/** @returns {string} the service's refusal */
export function refusal({ status, error, text, correlationId }) {
  if (!error)
    return `The answer ${status} is not the service's own: ${safe(text.slice(0, 200))}\nIs the address right?\n`
  const lines = [
    safe(`${error.message} (${status} ${error.code})`),
    ...aligned((error.details ?? []).map(detailRow)),
    ...(error.retry_after_seconds ? [`Try again in ${error.retry_after_seconds} s.`] : []),
    safe(`correlation id: ${error.correlation_id ?? correlationId}`),
  ]
  return `${lines.join('\n')}\n`
}

/** @returns {string} why a command was not understood and where to read more */
export const misunderstanding = ({ message, hint }) =>
  `${message}\n${hint === undefined ? '' : `See: ${[SELF, hint, '--help'].filter(Boolean).join(' ')}\n`}`
