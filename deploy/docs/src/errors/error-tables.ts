import { type ErrorCode, errorStatus } from '@connectivity/contracts/errors'
import { explained, operatorsOnly } from './explained.js'

const MARK = '<!-- codes: written by `npm run describe` -->'

const row = (code: ErrorCode): string => {
  const { meaning, cause, action } = explained[code]
  return `| ${errorStatus[code]} | \`${code}\` | ${meaning} ${cause} | ${action} |`
}

function table(codes: readonly ErrorCode[]): string {
  const ordered = [...codes].sort((one, other) => errorStatus[one] - errorStatus[other])
  return ['| status | code | meaning and cause | what to do |', '| --- | --- | --- | --- |', ...ordered.map(row)].join(
    '\n',
  )
}

/** The guide to errors with all codes below its mark, whatever stood there. */
export function withErrorTables(guide: string): string {
  const codes = Object.keys(explained) as ErrorCode[]
  const partners = codes.filter((code) => !operatorsOnly.has(code))
  const operators = codes.filter((code) => operatorsOnly.has(code))
  const head = guide.slice(0, guide.indexOf(MARK))
  return [
    `${head}${MARK}\n\n## Codes`,
    table(partners),
    '## Codes of the operators’ interface',
    'Partners never meet these.',
    `${table(operators)}\n`,
  ].join('\n\n')
}
