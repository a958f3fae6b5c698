import { CoalescedReads } from './coalesced-reads.js'

/** A store whose reads the test releases one by one. */
function store(values: Record<string, number>) {
  const statements: { keys: readonly string[]; release: (error?: Error) => void }[] = []
  const readMany = (keys: readonly string[]) =>
    new Promise<Map<string, number>>((resolve, reject) => {
      const release = (error?: Error) => (error ? reject(error) : resolve(new Map(Object.entries(values))))
      statements.push({ keys, release })
    })
  return { statements, readMany }
}

const turn = () => new Promise(setImmediate)

describe('coalesced reads', () => {
  it('start at once when none is running, and combine the requests that arrive during a read', async () => {
    const { statements, readMany } = store({ a: 1, b: 2 })
    const reads = new CoalescedReads(readMany)
    const first = reads.read('a')
    const others = [reads.read('a'), reads.read('b'), reads.read('b'), reads.read('none')]
    expect(statements.map(({ keys }) => keys)).toEqual([['a']])
    statements[0]!.release()
    expect(await first).toBe(1)
    await turn()
    expect(statements[1]!.keys).toEqual(['a', 'b', 'none'])
    statements[1]!.release()
    expect(await Promise.all(others)).toEqual([1, 2, 2, null])
  })

  it('never answer from a read that began before the request', async () => {
    const values = { a: 1 }
    const { statements, readMany } = store(values)
    const reads = new CoalescedReads(readMany)
    const early = reads.read('a')
    const late = reads.read('a')
    statements[0]!.release()
    expect(await early).toBe(1)
    await turn()
    values.a = 2
    statements[1]!.release()
    expect(await late).toBe(2)
  })

  it('do not wait for a read that hangs, but never run more than three at once', async () => {
    const { statements, readMany } = store({ a: 1 })
    let clock = 0
    const reads = new CoalescedReads(readMany, () => clock)
    const answers = Array.from({ length: 5 }, () => {
      clock += 51
      return reads.read('a')
    })
    expect(statements).toHaveLength(3)
    statements[2]!.release()
    expect(await answers[2]).toBe(1)
    await turn()
    expect(statements).toHaveLength(4)
    statements[3]!.release()
    expect(await Promise.all(answers.slice(3))).toEqual([1, 1])
  })

  it('fail for the callers that waited for the failed one, and continue', async () => {
    const { statements, readMany } = store({ a: 1 })
    const reads = new CoalescedReads(readMany)
    const failing = expect(reads.read('a')).rejects.toThrow('away')
    const next = reads.read('a')
    statements[0]!.release(new Error('away'))
    await failing
    await turn()
    statements[1]!.release()
    expect(await next).toBe(1)
  })
})
