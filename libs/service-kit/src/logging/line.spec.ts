import { pino } from 'pino'
import { serialiseAtOnce } from './line.js'
import { loggedError } from './logged-error.js'

const CIRCULAR: Record<string, unknown> = { route: '/x' }
CIRCULAR.itself = CIRCULAR

describe('lines serialised at once', () => {
  const written: string[] = []
  const plain = () =>
    pino(
      {
        base: { service: 'test', version: '1.0' },
        timestamp: () => ',"time":"2027-01-01T00:00:00.000Z"',
        serializers: { err: (err: unknown) => loggedError(err) },
      },
      { write: (line) => void written.push(line) },
    )
  beforeEach(() => void (written.length = 0))

  it.each<[what: string, fields: object, message: string | undefined]>([
    ['a message alone', {}, 'started'],
    ['fields without a message', { port: 8080 }, undefined],
    ['neither', {}, undefined],
    [
      'fields of every kind',
      { a: 'text', b: 1.5, c: true, d: null, e: undefined, f: Number.NaN, g: [1], h: { i: 2 } },
      'x',
    ],
    [
      'text that JSON escapes',
      { 'a"b': 'quote " backslash \\ line\n \u2028 \ud800 é', long: '"'.repeat(200) },
      'say "no"\n',
    ],
    ['an error', { err: new Error('broken', { cause: new Error('why') }), topic: 't' }, 'failed'],
    ['a thrown value that is not an Error', { err: null }, 'failed'],
    ['a circular value', CIRCULAR, 'x'],
    ['a value that JSON has no form for', { big: 10n, route: '/x' }, 'x'],
  ])('are those of pino: %s', (_what, fields, message) => {
    for (const logger of [plain(), serialiseAtOnce(plain())]) {
      logger.info(fields, message)
      logger.child({ topic: 'bookings' }).warn(fields, message)
    }
    expect(written).toHaveLength(4)
    expect(written.slice(2)).toEqual(written.slice(0, 2))
  })

  it('are those of pino for an error alone', () => {
    const error = new Error('broken')
    plain().error(error)
    serialiseAtOnce(plain()).error(error)
    expect(written[1]).toBe(written[0])
    expect(JSON.parse(written[1]!)).toMatchObject({ level: 50, msg: 'broken', err: { type: 'Error' } })
  })
})
