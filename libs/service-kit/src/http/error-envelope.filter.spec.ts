import { HttpException } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { toServiceError } from './error-envelope.filter.js'

const withCode = (code: string) => Object.assign(new Error('what the database said'), { code })

describe('the answer to an error', () => {
  it.each([
    ['a server that is not there', withCode('ECONNREFUSED')],
    ['every address of a server', new AggregateError([withCode('ECONNREFUSED')])],
    ['a lock that was waited for too long', withCode('55P03')],
    ['a statement that took too long', withCode('57014')],
    ['a connection that ended', new Error('Connection terminated unexpectedly')],
    ['no connection in time', new Error('timeout exceeded when trying to connect')],
    ['a server that went silent in the middle of a statement', new Error('Query read timeout')],
    ['a framework that is busy', new HttpException('busy', 503)],
  ])('is 503 with a time to retry: %s', (_what, error) => {
    expect(toServiceError(error)).toMatchObject({ code: 'service_unavailable', headers: { 'retry-after': '2' } })
  })

  it('is the refusal that was thrown', () => {
    const refusal = new ServiceError('not_found', 'There is nothing.')
    expect(toServiceError(refusal)).toBe(refusal)
  })

  it.each([new Error('what nobody meant'), withCode('23505'), undefined, 'a text'])(
    'is 500 without any of its text for any other error: %s',
    (error) => {
      const shown = toServiceError(error)
      expect(shown.code).toBe('internal_error')
      expect(shown.message).not.toMatch(/nobody|database/)
    },
  )
})
