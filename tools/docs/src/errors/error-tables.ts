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

function sections(some: readonly ErrorCode[]): string[] {
  const statuses = Map.groupBy(some, (code) => errorStatus[code])
  const ordered = [...statuses].sort(([one], [other]) => one - other)
  return ordered.flatMap(([status, own]) => [`### ${status} ${STATUS_CODES[status]}`, table(own)])
}

const codes = Object.keys(errorStatus) as ErrorCode[]

/** Replaces everything below the mark in the guide to errors with the tables of the codes that partners get. */
export function withErrorTables(guide: string): string {
  const partners = codes.filter((code) => !operatorsOnly.has(code))
  const head = guide.slice(0, guide.indexOf(MARK))
  return [`${head}${MARK}\n\n## Codes`, ...sections(partners)].join('\n\n')
}

/** The page with the codes that only operators get. */
export function operatorsErrorPage(): string {
  const introduction =
    'Refusals of `/ops/v1` have the body and the codes of the [partner interface](../guides/errors.md), and these.\n`npm run describe` writes this page.'
  const operators = codes.filter((code) => operatorsOnly.has(code))
  return ['# Errors of the operators’ interface', introduction, ...sections(operators)].join('\n\n')
}
