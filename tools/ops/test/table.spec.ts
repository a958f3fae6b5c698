import type { Column } from '../command.ts'
import { commands } from '../commands.ts'
import { scopes } from '@connectivity/contracts/scopes'
import { fields, table } from '../table.ts'
import { age, changed, scopesOf } from '../texts.ts'
import { refusal, shown, whatFollows } from '../words.ts'

const columns: Column[] = [
  ['id', 'id'],
  ['key', 'key_id', 'client_id'],
  ['lag ms', 'feed.lag_ms'],
  ['note', 'note'],
]

describe('a table', () => {
  it('aligns its columns, also under wide characters', () => {
    const records = [
      { id: 'con_1', key_id: 'key_1', feed: { lag_ms: 0 }, note: 'a' },
      { id: '旅館', client_id: 'cli_12345', feed: { lag_ms: null }, note: '' },
      { id: 'Zoë\u0301', key_id: 'k', note: null },
    ]
    expect(table(columns, records)).toEqual([
      'ID     KEY        LAG MS  NOTE',
      'con_1  key_1      0       a',
      '旅館   cli_12345  –',
      'Zoë\u0301    k          –       –',
    ])
  })

  it('escapes texts that would control the terminal', () => {
    const lines = table(columns, [{ id: 'a\u001b[2Jb', key_id: 'c\nd\u009be', note: 'f\u202eg' }])
    expect(lines[1]).toBe('a\\u001b[2Jb  c\\u000ad\\u009be  –       f\\u202eg')
  })

  it('of callbacks shows since when one is suspended', () => {
    const command = commands.find(({ noun, verb }) => noun === 'callbacks' && verb === 'list')!
    const callback = { property_id: 'con_1', url: 'https://a', state: 'suspended', breaker: { state: 'closed' } }
    const suspended_at = new Date(Date.now() - 3 * 3_600_000).toISOString()
    const [head, row] = shown(command, { callbacks: [{ ...callback, suspended_at }] }).split('\n')
    expect(row!.slice(head!.indexOf('SUSPENDED'))).toMatch(/^3 h +closed/)
  })

  it('tells that it is empty, or that there is more', () => {
    const command = commands.find(({ noun }) => noun === 'overview')!
    const page = { connections: [], pagination: { limit: 50, has_more: true, count: 50, next_cursor: 'abc' } }
    expect(shown(command, page)).toBe('Nothing found.\n')
    expect(whatFollows(command, page)).toContain('--cursor abc')
    expect(whatFollows(command, { ...page, pagination: { ...page.pagination, has_more: false } })).toBe('')
  })
})

describe('a record', () => {
  it('has a field a line, and a secret last, marked and once', () => {
    const record = {
      schema_version: '1.0.0',
      id: 'c',
      signing_secret: 'hush',
      limits: { feed: { burst: 1 } },
      of: ['a', 'b'],
    }
    expect(fields(record)).toEqual([
      'id                 c',
      'limits.feed.burst  1',
      'of                 a, b',
      '',
      'SECRET, shown this once and never again. Hand it over safely:',
      '  signing_secret  hush',
    ])
  })
})

describe('a refusal', () => {
  it('shows message, code, details and correlation id', () => {
    const error = {
      code: 'invalid_request',
      message: 'Fix the body.',
      correlation_id: 'corr',
      details: [
        { pointer: '/limits/feed/burst', code: 'missing', message: 'is required' },
        { pointer: '', code: 'invalid_value' },
      ],
    }
    expect(refusal({ status: 400, error, text: '', correlationId: 'corr' }).split('\n')).toEqual([
      'Fix the body. (400 invalid_request)',
      '  /limits/feed/burst  missing        is required',
      '  (body)              invalid_value',
      'correlation id: corr',
      '',
    ])
  })

  it('prints each message once', () => {
    const message = 'status must be a number such as 404, or a class such as 4xx.'
    const details = [{ pointer: 'status', code: 'malformed', message }]
    const error = { code: 'invalid_request', message, correlation_id: 'corr', details }
    expect(refusal({ status: 400, error, text: '', correlationId: 'corr' }).split('\n')).toEqual([
      `${message} (400 invalid_request)`,
      'correlation id: corr',
      '',
    ])
  })

  it('that is not from the service says so', () => {
    const words = refusal({ status: 502, error: undefined, text: '<html>', correlationId: null })
    expect(words).toContain("The answer 502 is not the service's own: <html>")
  })
})

describe('a table on a narrow terminal', () => {
  const records = [{ id: 'con_1', key_id: 'key_12345678901', note: 'a long text that says little' }]

  it('cuts texts, and never an id', () => {
    const [heading, row] = table(columns, records, { width: 40 })
    expect(row).toBe('con_1  key_12345678901  –       a long …')
    expect(heading).toBe('ID     KEY              LAG MS  NOTE')
  })

  it('is unchanged if it fits', () => {
    expect(table(columns, records, { width: 80 })).toEqual(table(columns, records))
  })
})

describe('a record with a list of records', () => {
  it('shows them as a table below', () => {
    const checklist = [{ item: 1, state: 'passed', next_step: null }]
    expect(fields({ state: 'submitted', checklist })).toEqual([
      'state  submitted',
      '',
      'checklist:',
      'ITEM  STATE   NEXT STEP',
      '1     passed  –',
    ])
  })
})

describe('the text of', () => {
  const now = Date.parse('2026-11-20T10:00:00.000Z')

  it.each([
    ['2026-11-20T09:59:59.500Z', '0 s'],
    ['2026-11-20T09:59:01.000Z', '59 s'],
    ['2026-11-20T09:30:00.000Z', '30 min'],
    ['2026-11-20T07:00:00.000Z', '3 h'],
    ['2026-11-17T10:00:00.000Z', '3 d'],
    ['2026-11-20T10:00:01.000Z', '0 s'],
    [null, null],
  ])('an age: %s', (timestamp, text) => {
    expect(age(timestamp, now)).toBe(text)
  })

  it('a change names the fields that differ, those within by both names', () => {
    const before = { state: 'pilot', version: 1, limits: { feed: { burst: 60 } }, kept: ['a'] }
    const after = { state: 'disabled', version: 2, limits: { feed: { burst: 7 } }, kept: ['a'], disabled_at: null }
    expect(changed({ before, after })).toBe('state "pilot" → "disabled", limits.feed.burst 60 → 7')
    expect(changed({ before: null, after })).toBeNull()
  })

  it('scopes is short for all of them', () => {
    expect(scopesOf({ scopes })).toBe('all')
    expect(scopesOf({ scopes: ['ari:read'] })).toEqual(['ari:read'])
  })
})
