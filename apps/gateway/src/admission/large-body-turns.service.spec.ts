import { isLarge, LargeBodyTurns } from './large-body-turns.service.js'

const MIB = 1024 * 1024

describe('turns for large bodies', () => {
  const large = Buffer.alloc(MIB)

  it('are for bodies of more than 16 KiB', () => {
    expect([16 * 1024, 16 * 1024 + 1].map((size) => isLarge(Buffer.alloc(size)))).toEqual([false, true])
  })

  it('let other work of the process in while a body is read', async () => {
    const body = Buffer.from(JSON.stringify(Array(150_000).fill(12345)))
    let others = 0
    const other = () => {
      others += 1
      next = setImmediate(other)
    }
    let next = setImmediate(other)
    const reading = await new LargeBodyTurns().read('a', body)
    clearImmediate(next)
    expect(reading).toEqual({ value: Array(150_000).fill(12345), fault: null })
    expect(others).toBeGreaterThanOrEqual(Math.floor(body.length / (64 * 1024)))
  })

  it('end with the fault of a body that must be refused', async () => {
    const body = Buffer.from(`[${'{},'.repeat(100_000)}{}]`)
    const { value, fault } = await new LargeBodyTurns().read('a', body)
    expect([value, fault?.details?.[0]?.code]).toEqual([undefined, 'too_many_values'])
  })

  it('are refused to an application whose waiting bodies reach 32 MiB, and to no other', async () => {
    const turns = new LargeBodyTurns()
    const all = Array.from({ length: 32 }, () => turns.run('a', large, () => 'done'))
    await expect(turns.run('a', large, () => 'done')).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(await turns.run('b', large, () => 'done')).toBe('done')
    await Promise.all(all)
    expect(await turns.run('a', large, () => 'done')).toBe('done')
  })

  it('count a body only until its turn has ended, also if it failed', async () => {
    const turns = new LargeBodyTurns()
    const failing = () => {
      throw new Error('bad')
    }
    for (let count = 0; count < 40; count++) {
      await expect(turns.run('a', large, failing)).rejects.toThrow('bad')
      expect(await turns.run('a', large, () => 'done')).toBe('done')
    }
  })
})
