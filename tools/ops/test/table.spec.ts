import type { Column } from '../command.ts'
import { commands } from '../commands.ts'
import { fields, table } from '../table.ts'
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

  it('says so when it is empty, and when there is more', () => {
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

  it('that is not from the service says so', () => {
    const words = refusal({ status: 502, error: undefined, text: '<html>', correlationId: null })
    expect(words).toContain("The answer 502 is not the service's own: <html>")
  })
})
