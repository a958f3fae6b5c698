import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { guidesFolder } from '../../src/files.js'
import type { SampledCall, SampleLanguage } from '../../src/site/call-samples.js'
import { blocksOf } from '../programs.js'

/** The call of the guide to signing. */
export const FIRST_PAGE: SampledCall = {
  method: 'GET',
  path: '/reservations',
  query: 'property_id=$PROPERTY_ID&limit=5',
  body: null,
  contentType: '',
  isSigned: true,
}

const INDENT = '        '
const indented = (code: string): string => code.replace(/^(?=.)/gm, INDENT)

/** Where a language's sample begins in the program of the guide, and what follows it. */
const places: Record<string, { begin: RegExp; end: string }> = {
  js: { begin: /^const path = /m, end: '' },
  python: { begin: /^path = /m, end: '' },
  php: { begin: /^\$path = /m, end: '' },
  csharp: { begin: /^ {8}var target = /m, end: '    }\n}\n' },
  java: { begin: /^ {8}String target = /m, end: '    }\n}\n' },
}

/** The program of the guide to signing, with another call. */
export function programOf({ name, sample }: SampleLanguage, call: SampledCall): string {
  const { begin, end } = places[name]!
  const [program] = blocksOf(readFileSync(join(guidesFolder, 'signing.md'), 'utf8'), name)
  const head = program!.slice(0, begin.exec(program!)!.index)
  const code = sample(call)
  return `${head}${end === '' ? code : indented(code)}\n${end}`
}
