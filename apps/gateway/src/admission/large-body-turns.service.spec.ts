import { setImmediate as turn } from 'node:timers/promises'
import { LargeBodyTurns } from './large-body-turns.service.js'

const MIB = 1024 * 1024

describe('turns for large bodies', () => {
  it('are given one per turn of the event loop, to one application after the other', async () => {
    const turns = new LargeBodyTurns()
    const worked: string[] = []
    const all = ['a', 'a', 'a', 'b'].map(async (application) => {
      await turns.take(application, MIB)
      worked.push(application)
    })
    const counts: number[] = []
    for (let count = 0; count < 4; count++) {
      await turn()
      counts.push(worked.length)
    }
    await Promise.all(all)
    expect(worked).toEqual(['a', 'a', 'b', 'a'])
    expect(counts).toEqual([1, 2, 3, 4])
  })

  it('are not needed for a small body', async () => {
    const turns = new LargeBodyTurns()
    const worked: string[] = []
    const large = Array.from({ length: 3 }, () => turns.take('a', MIB).then(() => worked.push('large')))
    const small = turns.take('a', 1024).then(() => worked.push('small'))
    await small
    expect(worked.filter((each) => each === 'large').length).toBeLessThanOrEqual(1)
    await Promise.all(large)
  })
})
