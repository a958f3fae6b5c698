import { ServiceError } from '@connectivity/contracts/errors'
import { MappingsWrite } from '@connectivity/contracts/mappings'
import { RedeliverReservations } from '@connectivity/contracts/operators-api'
import { readBody } from './body.pipe.js'

describe('what a refused body is told', () => {
  const messages = (shape: new () => object, body: unknown) => {
    try {
      readBody(shape, body)
    } catch (error) {
      return (error as ServiceError).details!.map(({ message }) => message)
    }
    throw new Error('accepted')
  }

  it.each([[{}], [{ mappings: {} }], [{ mappings: null }]])(
    '%j: that a list is wanted, not how long one may be',
    (body) => expect(messages(MappingsWrite, body)).toEqual(['/mappings: mappings must be an array.']),
  )

  it('how long a list must be, where there is one', () =>
    expect(messages(MappingsWrite, { mappings: [] })).toEqual([
      '/mappings: mappings must contain at least 1 elements.',
    ]))

  it('that a re-delivery names neither ids nor a range', () =>
    expect(messages(RedeliverReservations, { reason: 'x' })).toEqual([
      '/reservation_ids: must be a list of ids; leave it out only beside check_in_from or check_in_to.',
    ]))
})
