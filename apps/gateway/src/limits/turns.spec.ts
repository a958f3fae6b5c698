import { Turns } from './turns.js'

describe('turns', () => {
  it('run so many at once for each name, the rest in order, also after failures', async () => {
    const turns = new Turns(2)
    const begun: string[] = []
    const ends: PromiseWithResolvers<void>[] = []
    const run = (name: string, label: string) =>
      turns.run(name, () => {
        begun.push(label)
        ends.push(Promise.withResolvers<void>())
        return ends.at(-1)!.promise
      })
    const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('a', 'a4')]
    expect(begun).toEqual(['a1', 'a2', 'b1'])
    ends[0]!.reject(new Error('failed'))
    await expect(all[0]).rejects.toThrow('failed')
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
    ends[1]!.resolve()
    await all[1]
    expect(begun.at(-1)).toBe('a4')
    for (const { resolve } of ends) resolve()
    await Promise.all(all.slice(1))
    void run('a', 'a5')
    expect(begun.at(-1)).toBe('a5')
  })
})
