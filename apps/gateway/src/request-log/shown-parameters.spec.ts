import { operations } from '@connectivity/contracts/partner-api'
import type { PartnerRequest } from '../http/requests/partner-request.js'
import { shownParameters } from './shown-parameters.js'

const operation = operations.find(({ path, method }) => path === '/reservations' && method === 'GET')!
const shown = (query: string) => shownParameters({ query, operation } as PartnerRequest)

describe('the parameters of a request in the log', () => {
  it('show values of parameters that the call takes, and only names of others', () => {
    expect(shown('property_id=con_1&limit=5&guest=John+Smith')).toEqual({
      property_id: 'con_1',
      limit: '5',
      guest: null,
    })
    expect(shown('updated_since=2026-11-20T10%3A15%3A30Z')).toEqual({ updated_since: '2026-11-20T10:15:30Z' })
  })

  it.each(['%zz', '%', '%e4', 'a%2', '%FF'])('leave out the malformed value %s', (value) => {
    expect(shown(`property_id=con_1&updated_since=${value}&guest=${value}`)).toEqual({ property_id: 'con_1' })
  })

  it('leave out repeated ones, malformed or not', () => {
    expect(shown('limit=5&limit=6&cursor=%zz&cursor=a')).toEqual({})
  })
})
