import { loggedError } from './logged-error.js'

const pgError = (code: string, message: string) =>
  Object.assign(new Error(message), {
    code,
    detail: 'Failing row contains (RSV-1, Lovelace).',
    where: "unnamed portal parameter $1 = 'Lovelace'",
    query: 'INSERT …',
    parameters: ['Lovelace'],
    driverError: { detail: 'Lovelace' },
    table: 'booking',
    constraint: 'booking_pkey',
  })

describe('an error in the log', () => {
  it('shows type, place and cause', () => {
    const logged = loggedError(new TypeError('cannot read this', { cause: pgError('23505', 'duplicate key') }))
    expect(logged).toMatchObject({
      type: 'TypeError',
      message: 'cannot read this',
      stack: expect.stringMatching(/^TypeError: cannot read this\n +at .*logged-error\.spec/),
      cause: { code: '23505', table: 'booking', constraint: 'booking_pkey', message: 'duplicate key' },
    })
  })

  it.each<[string, () => unknown]>([
    ['a row', () => pgError('23502', 'null value in column "a" violates not-null constraint')],
    ['a value of the wrong type', () => pgError('22P02', 'invalid input syntax for type integer: "Lovelace"')],
    ['a value in quotes', () => pgError('22007', 'time zone "Lovelace" not recognized')],
    ['text that is not JSON', () => thrownBy(() => JSON.parse('{"guest":Lovelace}'))],
    ['a cause', () => new Error('x', { cause: pgError('22P02', 'invalid: "Lovelace"') })],
    ['one of many', () => new AggregateError([pgError('22P02', 'invalid: "Lovelace"')])],
    ['something that is thrown but no error', () => ({ guest: 'Lovelace' })],
    ['a text', () => 'Lovelace'],
  ])('does not show %s', (_what, make) => expect(JSON.stringify(loggedError(make()))).not.toMatch(/Lovelace/))
})

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
