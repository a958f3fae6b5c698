import { STATUS_CODES } from 'node:http'
import { type ErrorCode, errorStatus } from '@connectivity/contracts/errors'
import { explained, operatorsOnly } from './explained.js'

const MARK = '<!-- codes: written by `npm run describe` -->'

function table(codes: readonly ErrorCode[]): string {
  const rows = codes.map((code) => {
    const { meaning, cause, action } = explained[code]
    return `| \`${code}\` | ${meaning} ${cause} | ${action} |`
  })
  return ['| code | meaning and cause | what to do |', '| --- | --- | --- |', ...rows].join('\n')
}

function sections(codes: readonly ErrorCode[]): string[] {
  const statuses = Map.groupBy(codes, (code) => errorStatus[code])
  const ordered = [...statuses].sort(([one], [other]) => one - other)
  return ordered.flatMap(([status, some]) => [`### ${status} ${STATUS_CODES[status]}`, table(some)])
}

/** Replaces everything below the mark in the guide to errors with the tables of all codes. */
export function withErrorTables(guide: string): string {
  const codes = Object.keys(errorStatus) as ErrorCode[]
  const partners = codes.filter((code) => !operatorsOnly.has(code))
  const operators = codes.filter((code) => operatorsOnly.has(code))
  const head = guide.slice(0, guide.indexOf(MARK))
  return [
    `${head}${MARK}\n\n## Codes`,
    ...sections(partners),
    '## Codes of the operators’ interface',
    'Partners never meet these.',
    ...sections(operators),
  ].join('\n\n')
}
