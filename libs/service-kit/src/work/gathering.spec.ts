import { jest } from '@jest/globals'
import { Gathering, type GatheringRules } from './gathering.js'

const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** A gathering of numbers whose batches the test ends one by one. */
function gathering(rules: Partial<GatheringRules<number>> = {}) {
  const batches: { items: number[]; end: (error?: Error) => void }[] = []
  const gathered = new Gathering<number, string>({ batches: 1, most: 10, ...rules }, (items) => {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>()
    const end = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => `done ${item}`)))
    batches.push({ items, end })
    return promise
  })
  return { gathered, batches, seen: () => batches.map(({ items }) => items) }
}

describe('a gathering', () => {
  afterEach(() => void jest.restoreAllMocks())

  it('begins at once with the items of one turn of the event loop, then takes those gathered in the meantime', async () => {
    const { gathered, batches, seen } = gathering()
    const first = [gathered.add(1), gathered.add(2)]
    await settled()
    const second = [gathered.add(3)]
    await settled()
    second.push(gathered.add(4))
    await settled()
    expect(seen()).toEqual([[1, 2]])
    batches[0]!.end()
    expect(await Promise.all(first)).toEqual(['done 1', 'done 2'])
    await settled()
    expect(seen()).toEqual([
      [1, 2],
      [3, 4],
    ])
    batches[1]!.end()
    expect(await Promise.all(second)).toEqual(['done 3', 'done 4'])
  })

  it('bounds a batch by the sizes of its items, but takes a larger item alone', async () => {
    const { gathered, batches, seen } = gathering({ most: 5, size: (item) => item })
    const done = [3, 2, 1, 9, 1].map((item) => gathered.add(item))
    for (let index = 0; index < 4; index++) {
      await settled()
      batches[index]!.end()
    }
    await Promise.all(done)
    expect(seen()).toEqual([[3, 2], [1], [9], [1]])
  })

  it('works on as many batches at once as its rules say', async () => {
    const { gathered, batches, seen } = gathering({ batches: 2, most: 1 })
    const done = [1, 2, 3].map((item) => gathered.add(item))
    await settled()
    expect(seen()).toEqual([[1], [2]])
    batches[1]!.end()
    await settled()
    expect(seen()).toEqual([[1], [2], [3]])
    for (const { end } of batches) end()
    await Promise.all(done)
  })

  it('does not wait for a batch that takes longer than its patience, but respects the limit of batches', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0)
    const { gathered, batches, seen } = gathering({ batches: 2, patience: 50 })
    const add = async (item: number, at: number) => {
      clock.mockReturnValue(at)
      void gathered.add(item)
      await settled()
    }
    await add(1, 0)
    await add(2, 49)
    expect(seen()).toEqual([[1]])
    await add(3, 50)
    await add(4, 150)
    expect(seen()).toEqual([[1], [2, 3]])
    batches[1]!.end()
    await settled()
    expect(seen()).toEqual([[1], [2, 3], [4]])
  })

  describe('with company', () => {
    /** Longer than any test waits unless it says so. */
    const LONG = 1_000
    const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

    /** A gathering whose last batch had two items and left one behind. */
    async function afterThree(rules: Partial<GatheringRules<number>>) {
      const found = gathering(rules)
      const done = [found.gathered.add(1), found.gathered.add(2)]
      await settled()
      void found.gathered.add(3)
      found.batches[0]!.end()
      await Promise.all(done)
      await settled()
      return found
    }

    it('waits for as many items as the last batch had and left behind', async () => {
      const { gathered, seen } = await afterThree({ company: LONG })
      void gathered.add(4)
      await settled()
      expect(seen()).toHaveLength(1)
      void gathered.add(5)
      await settled()
      expect(seen()[1]).toEqual([3, 4, 5])
    })

    it('waits no longer than its rule says', async () => {
      const { seen } = await afterThree({ company: 200 })
      expect(seen()).toHaveLength(1)
      await pause(250)
      expect(seen()[1]).toEqual([3])
    })

    it('never keeps a lone caller waiting', async () => {
      const { gathered, batches, seen } = gathering({ company: LONG })
      for (let item = 0; item < 3; item++) {
        const done = gathered.add(item)
        await settled()
        batches[item]!.end()
        await done
      }
      expect(seen()).toEqual([[0], [1], [2]])
    })

    it('does not wait for company more than 100 ms after the last batch', async () => {
      const clock = jest.spyOn(performance, 'now').mockReturnValue(0)
      const { gathered, batches, seen } = gathering({ company: LONG })
      const done = [gathered.add(1), gathered.add(2)]
      await settled()
      batches[0]!.end()
      await Promise.all(done)
      clock.mockReturnValue(101)
      void gathered.add(3)
      await settled()
      expect(seen()[1]).toEqual([3])
    })

    it('never waits for more than a batch may hold', async () => {
      const { gathered, seen } = await afterThree({ company: LONG, most: 2 })
      void gathered.add(4)
      await settled()
      expect(seen()[1]).toEqual([3, 4])
    })

    it('notices that an item has grown', async () => {
      const sizes = new Map([[3, 1]])
      const { gathered, seen } = await afterThree({ company: LONG, size: (item) => sizes.get(item) ?? 1 })
      sizes.set(3, 3)
      gathered.grown()
      await settled()
      expect(seen()[1]).toEqual([3])
    })
  })

  it('gives an error to every item of its batch and goes on with the next one', async () => {
    const { gathered, batches } = gathering()
    const failed = [gathered.add(1), gathered.add(2)].map((one) => expect(one).rejects.toThrow('broken'))
    await settled()
    const next = gathered.add(3)
    batches[0]!.end(new Error('broken'))
    await Promise.all(failed)
    await settled()
    batches[1]!.end()
    expect(await next).toBe('done 3')
  })
})
