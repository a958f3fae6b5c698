import { LargeBodyTurns } from './large-body-turns.service.js'

const MIB = 1024 * 1024

describe('turns for large bodies', () => {
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
