// Finds statements of a migration that are incompatible with the builds of the previous release.

const rules: readonly (readonly [pattern: RegExp, fault: string])[] = [
  [/\bRENAME\b/i, 'renames'],
  [
    /\bDROP (TABLE|COLUMN|INDEX|VIEW|MATERIALIZED|SEQUENCE|TYPE|FUNCTION|TRIGGER|SCHEMA|DEFAULT|IDENTITY)\b/i,
    'takes away',
  ],
  [/\bALTER (COLUMN )?\w+ (SET DATA )?TYPE\b/i, 'retypes'],
  [/\bSET NOT NULL\b/i, 'tightens'],
  [/^(TRUNCATE|DELETE|UPDATE)\b/i, 'rewrites rows'],
  [/^CREATE (OR REPLACE )?(CONSTRAINT )?(TRIGGER|RULE)\b/i, 'changes what a write does'],
]
const NEW_TABLE = /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/i
const UNIQUE_INDEX = /^CREATE UNIQUE INDEX .*?\bON (\w+)/i
const ALTERED = /^ALTER TABLE (?:ONLY )?(?:IF EXISTS )?(\w+) (.*)$/i
const NEW_COLUMN = /^ADD COLUMN\b/i
const NEW_CONSTRAINT = /^ADD (CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE)\b/i

/** Splits ALTER TABLE into clauses; commas in brackets do not separate. */
function clausesOf(text: string): string[] {
  const clauses = ['']
  let depth = 0
  for (const letter of text) {
    if (letter === '(') depth += 1
    if (letter === ')') depth -= 1
    if (letter === ',' && depth === 0) clauses.push('')
    else clauses.push(`${clauses.pop() ?? ''}${letter}`)
  }
  return clauses.map((clause) => clause.trim())
}

function faultOfClause(clause: string): string | null {
  if (NEW_CONSTRAINT.test(clause)) return 'tightens'
  if (!NEW_COLUMN.test(clause)) return null
  const isRequired = /\bNOT NULL\b/i.test(clause) && !/\b(DEFAULT|GENERATED)\b/i.test(clause)
  return isRequired || /\b(UNIQUE|PRIMARY KEY|CHECK)\b/i.test(clause) ? 'tightens' : null
}

function faultOf(statement: string, newTables: ReadonlySet<string | undefined>): string | null {
  const rule = rules.find(([pattern]) => pattern.test(statement))
  if (rule) return rule[1]
  const [, indexed] = UNIQUE_INDEX.exec(statement) ?? []
  if (indexed !== undefined && !newTables.has(indexed)) return 'tightens'
  return faultOfTableChange(statement, newTables)
}

function faultOfTableChange(statement: string, newTables: ReadonlySet<string | undefined>): string | null {
  const [, altered, text = ''] = ALTERED.exec(statement) ?? []
  if (altered === undefined || newTables.has(altered)) return null
  return (
    clausesOf(text)
      .map(faultOfClause)
      .find((fault) => fault !== null) ?? null
  )
}

/**
 * Changes that break the builds of the previous release: "takes away: ALTER TABLE …". Empty for a step that only adds.
 * The statements are those of `statementsOf`.
 */
export function faultsOf(statements: readonly string[]): string[] {
  const newTables = new Set(statements.map((statement) => NEW_TABLE.exec(statement)?.[1]))
  return statements
    .map((statement) => [faultOf(statement, newTables), statement] as const)
    .filter(([fault]) => fault !== null)
    .map(([fault, statement]) => `${fault}: ${statement}`)
}
