import { ServiceError } from './errors.js'
import { parametersOf, unknownParameters } from './parameter-names.js'
import { operations } from './partner-api.js'

const KNOWN = ['property_id', 'updated_since', 'cursor', 'limit']

/** Pointer and hint of the refusal, null when there is none. */
function refusal(query: string, known: readonly string[] = KNOWN) {
  try {
    unknownParameters(query, known)
    return null
  } catch (error) {
    const [detail] = (error as ServiceError).details!
    return [(error as ServiceError).code, detail!.code, detail!.pointer, detail!.message]
  }
}

describe('a parameter that a call does not take', () => {
  it.each([
    ['update_since=x', 'update_since', 'updated_since'],
    ['limits=5', 'limits', 'limit'],
    ['lmiit=5', 'lmiit', 'limit'],
    ['Limit=5', 'Limit', 'limit'],
    ['curs%6frs=5', 'cursors', 'cursor'],
    ['propertyId=5', 'propertyId', 'property_id'],
    ['limits[]=5', 'limits[]', 'limit'],
    ['updated-since', 'updated-since', 'updated_since'],
    ['limit=5&limits=5', 'limits', 'limit'],
    ['x=1&udpated_sicne=1', 'udpated_sicne', 'updated_since'],
  ])('is refused when it is misspelt: %s', (query, pointer, meant) => {
    expect(refusal(query)).toEqual(['invalid_request', 'unknown_parameter', pointer, `Did you mean ${meant}?`])
  })

  it.each([
    'x=update_since',
    'page=1',
    'offset=1',
    'lang=de',
    'since=1',
    '_=1',
    'limit[]=1',
    'limit=1&limit=2',
    '&&=1',
    '%zz',
  ])('is not refused when it is another word: %s', (query) => expect(refusal(query)).toBeNull())

  it('is refused one edit away from a short parameter, but not two', () => {
    expect(refusal('viw=1', ['view'])).not.toBeNull()
    expect(refusal('vie_w=1', ['view'])).not.toBeNull()
    expect(refusal('vi=1', ['view'])).toBeNull()
  })

  it('is matched to the closest of several candidates', () => {
    expect(refusal('date_tom=1', ['date_from', 'date_to'])?.[3]).toBe('Did you mean date_to?')
  })

  it('is listed once if it has no effect, in plain letters, with at most nine others', () => {
    expect(unknownParameters('page=1&limit=5&page=2&a%20b=1&a%0d%0ab=1&%C3%A9=1&sort-by=x', KNOWN)).toEqual([
      'page',
      'sort-by',
    ])
    const many = Array.from({ length: 40 }, (_, index) => `name_${index}=1`).join('&')
    expect(unknownParameters(many, KNOWN)).toHaveLength(10)
    expect(unknownParameters(`${'n'.repeat(65)}=1`, KNOWN)).toEqual([])
  })

  it('is checked in less than 5 ms, however long the query is', () => {
    const queries = ['a&'.repeat(8_000), 'b'.repeat(16_000), 'updated_xxxxx&'.repeat(1_100)]
    const before = process.cpuUsage()
    for (let round = 0; round < 20; round++) for (const query of queries) unknownParameters(query, KNOWN)
    const { user } = process.cpuUsage(before)
    expect(user / 1000 / 20 / queries.length).toBeLessThan(5)
  })
})

describe('the parameters of a call', () => {
  it('are never within two edits of each other, except state and status of events', () => {
    for (const operation of operations) {
      const parameters = parametersOf(operation).filter((name) => name !== 'state')
      for (const name of parameters) {
        const others = parameters.filter((other) => other !== name)
        expect(refusal(`${name}=1`, others)).toBeNull()
      }
    }
  })
})
