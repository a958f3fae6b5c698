import { LargeBodyTurns } from './large-body-turns.service.js'

const MIB = 1024 * 1024

describe('turns for large bodies', () => {
  const large = Buffer.alloc(MIB)

  it('are not needed for a small body', async () => {
    const turns = new LargeBodyTurns()
    const worked: string[] = []
    const all = Array.from({ length: 3 }, () => turns.run('a', large, () => worked.push('large')))
    await turns.run('a', Buffer.alloc(1024), () => worked.push('small'))
    expect(worked.filter((each) => each === 'large').length).toBeLessThanOrEqual(1)
    await Promise.all(all)
  })

  it('are refused to an application of which 32 MiB wait, and only to that one', async () => {
    const turns = new LargeBodyTurns()
    const all = Array.from({ length: 32 }, () => turns.run('a', large, () => 'done'))
    await expect(turns.run('a', large, () => 'done')).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(await turns.run('b', large, () => 'done')).toBe('done')
    await Promise.all(all)
    expect(await turns.run('a', large, () => 'done')).toBe('done')
  })
})
