import type { Logger } from '@connectivity/service-kit/logging'
import { Purging } from './purging.js'

const warnings: unknown[] = []
const log = { warn: (_fields: object, message: string) => warnings.push(message) } as unknown as Logger
const batches = (...sizes: number[]) => {
  const done: number[] = []
  const next = async () => {
    const size = sizes.shift() ?? 0
    done.push(size)
    return size
  }
  return { done, next }
}

describe('purging', () => {
  it('continues batch by batch until nothing is due, and with the next kind when one fails', async () => {
    const purging = new Purging(log)
    const [tokens, answers] = [batches(5, 5, 2), batches(1)]
    purging.add('expired tokens', tokens.next)
    purging.add('bindings', () => Promise.reject(new Error('gone')))
    purging.add('old answers', answers.next)
    await purging.run()
    expect([tokens.done, answers.done]).toEqual([
      [5, 5, 2, 0],
      [1, 0],
    ])
    expect(warnings).toEqual(['bindings were not deleted'])
  })

  it('begins with the service', async () => {
    const purging = new Purging(log)
    const weeks = batches(1)
    purging.add('weeks', weeks.next)
    purging.onApplicationBootstrap()
    await purging.onModuleDestroy()
    expect(weeks.done).toEqual([1])
  })

  it('ends with the service', async () => {
    const purging = new Purging(log)
    const endless = batches(...Array<number>(100).fill(1))
    purging.add('tokens', async () => {
      if (endless.done.length === 2) void purging.onModuleDestroy()
      return endless.next()
    })
    await purging.run()
    expect(endless.done).toHaveLength(3)
  })
})
