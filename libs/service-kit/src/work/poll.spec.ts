import { poll } from './poll.js'

describe('a poll', () => {
  it('ends with what it finds', async () => {
    const answers = [null, null, 'found', 'too late']
    expect(await poll(async () => answers.shift()!, { within: 10_000, every: 1 })).toBe('found')
    expect(answers).toEqual(['too late'])
  })

  it('ends with null when nothing comes in time, and with the error of a look', async () => {
    let looks = 0
    expect(await poll(async () => (looks++, null), { within: 20, every: 1 })).toBeNull()
    expect(looks).toBeGreaterThan(1)
    const broken = () => Promise.reject(new Error('broken'))
    await expect(poll(broken, { within: 10_000, every: 1 })).rejects.toThrow('broken')
  })
})
