import { jest } from '@jest/globals'
import type { Database } from '@connectivity/database'
import { FeedPageStore } from './feed-page.store.js'

type Row = [connectionId: string, state: string, externalPropertyId: string, ...numbers: string[]]

/** A database whose statements the test answers one by one. */
function heldDatabase() {
  const statements: { ids: string; answer: (...ids: string[]) => void }[] = []
  const query = ({ values: [ids] }: { values: [string] }) => {
    const { promise, resolve } = Promise.withResolvers<{ rows: Row[] }>()
    const answer = (...known: string[]) => resolve({ rows: known.map((id) => [id, 'live', `of ${id}`, '2', '3']) })
    statements.push({ ids, answer })
    return promise
  }
  return { statements, store: new FeedPageStore({ query } as unknown as Database) }
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

describe('heads', () => {
  beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(0))
  afterEach(() => void jest.restoreAllMocks())

  it('asked for during a read are read by the next statement, each once, and null if unknown', async () => {
    const { statements, store } = heldDatabase()
    const first = store.head('a')
    await turn()
    const others = ['a', 'b', 'b', 'none'].map((id) => store.head(id))
    await turn()
    expect(statements.map(({ ids }) => ids.split('\x1f'))).toEqual([['a']])
    statements[0]!.answer('a')
    expect(await first).toMatchObject({ externalPropertyId: 'of a', lastStamp: 3 })
    await turn()
    expect(statements[1]!.ids.split('\x1f')).toEqual(['a', 'b', 'none'])
    statements[1]!.answer('a', 'b')
    const heads = await Promise.all(others)
    expect(heads.map((head) => head && head.externalPropertyId)).toEqual(['of a', 'of b', 'of b', null])
  })
})
