import { entitiesOf } from '../src/connection/entities.ts'

const named = (service_id: string, name: string, status = 'active') => ({ service_id, name, status })
const labels = (...given: Parameters<typeof entitiesOf>) => entitiesOf(...given).map(({ label }) => label)

describe('the label of a room or rate plan', () => {
  it('is its name where no other has it', () => {
    expect(labels([named('r1', 'Twin')], [named('p1', 'Flexible')])).toEqual(['Twin', 'Flexible'])
  })

  it('has the id where two have one name, also a room and a rate plan', () => {
    expect(labels([named('r1', 'Twin'), named('r2', 'Twin')], [])).toEqual(['Twin (r1)', 'Twin (r2)'])
    expect(labels([named('r1', 'Twin')], [named('p1', 'Twin')])).toEqual(['Twin (r1)', 'Twin (p1)'])
  })

  it('ignores archived ones', () => {
    expect(labels([named('r1', 'Twin'), named('r2', 'Twin', 'archived')], [])).toEqual(['Twin'])
  })
})
