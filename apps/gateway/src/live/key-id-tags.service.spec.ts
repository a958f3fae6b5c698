import { newId } from '@connectivity/service-kit/text'
import { hasForeignTag, withTag } from './key-id-tags.service.js'

const [key, otherKey] = ['ab'.repeat(32), 'cd'.repeat(32)]

describe('the tag of a key id', () => {
  it.each(['key', 'cli'] as const)('is recognised by the key that made it (%s)', (prefix) => {
    const id = withTag(key, newId(prefix))
    expect(id).toMatch(/^(key|cli)_[0-9a-f]{44}$/)
    expect(hasForeignTag(key, id)).toBe(false)
    expect(hasForeignTag(otherKey, id)).toBe(true)
  })

  it('holds for no other id', () => {
    const id = withTag(key, newId('key'))
    const flipped = (at: number) => id.slice(0, at) + (id[at] === '0' ? '1' : '0') + id.slice(at + 1)
    for (let at = 4; at < id.length; at++) expect(hasForeignTag(key, flipped(at))).toBe(true)
    expect(hasForeignTag(key, id.replace('key_', 'cli_'))).toBe(true)
  })

  it('is not required of an id without one', () => {
    for (const id of [newId('key'), newId('cli'), 'key_1', 'x', '']) expect(hasForeignTag(key, id)).toBe(false)
  })

  it('keeps ids in the order of their creation', () => {
    const ids = Array.from({ length: 20 }, () => withTag(key, newId('key')))
    expect(ids.toSorted()).toEqual(ids)
  })
})
