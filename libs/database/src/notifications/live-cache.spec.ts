import { LiveCache, TIME_TO_LIVE } from './live-cache.js'

const eraOne = { currentEra: () => 1, provenAt: () => 0 }

function subject() {
  const world = { value: 'v1' as string | null, era: 1 as number | null, proven: 0, time: 0, loads: 0, down: false }
  const load = async () => {
    world.loads += 1
    if (world.down) throw new Error('database is down')
    return world.value
  }
  const eras = { currentEra: () => world.era, provenAt: (era: number) => (era === 1 ? world.proven : 0) }
  const cache = new LiveCache<string>(load, eras, () => world.time)
  return { world, cache }
}

describe('live copies', () => {
  it('are loaded once', async () => {
    const { world, cache } = subject()
    expect(cache.peek('a')).toBeUndefined()
    expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['v1', 'v1'])
    expect(cache.peek('a')).toBe('v1')
    expect(world.loads).toBe(1)
  })

  it('are loaded again when dropped, cleared or too old', async () => {
    const { world, cache } = subject()
    await cache.get('a')
    world.value = 'v2'
    expect(await cache.get('a')).toBe('v1')
    cache.drop('a')
    expect(await cache.get('a')).toBe('v2')
    world.value = 'v3'
    cache.clear()
    expect(await cache.get('a')).toBe('v3')
    world.value = 'v4'
    world.time += TIME_TO_LIVE
    expect(await cache.get('a')).toBe('v4')
  })

  it('are not kept when the row changes while they are loaded', async () => {
    const loads = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
    let count = 0
    const cache = new LiveCache<string>(() => loads[count++]!.promise, eraOne)
    const early = cache.get('a')
    cache.drop('a')
    const late = cache.get('a')
    loads[1]!.resolve('new')
    loads[0]!.resolve('old')
    expect(await early).toBe('old')
    expect(await late).toBe('new')
    expect(cache.peek('a')).toBe('new')
  })

  it('are not kept when their loading began while changes could not be received', async () => {
    let era: number | null = null
    const loaded = Promise.withResolvers<string>()
    const cache = new LiveCache<string>(() => loaded.promise, { currentEra: () => era, provenAt: () => 0 })
    const early = cache.get('a')
    era = 1
    loaded.resolve('old')
    expect(await early).toBe('old')
    expect(cache.peek('a')).toBeUndefined()
  })

  it('are not trusted in another era or while changes cannot be received', async () => {
    const { world, cache } = subject()
    await cache.get('a')
    world.era = null
    world.value = 'v2'
    expect(cache.peek('a')).toBeUndefined()
    expect(await cache.get('a')).toBe('v2')
    expect(cache.peek('a')).toBeUndefined()
    world.era = 2
    world.value = 'v3'
    expect(await cache.get('a')).toBe('v3')
    expect(cache.peek('a')).toBe('v3')
  })

  it('serve for their time to live when the database is unreachable, never longer', async () => {
    const { world, cache } = subject()
    await cache.get('a')
    world.down = true
    world.era = null
    world.time = TIME_TO_LIVE - 1
    expect(await cache.get('a')).toBe('v1')
    await expect(cache.get('unknown')).rejects.toThrow('down')
    world.time = TIME_TO_LIVE
    await expect(cache.get('a')).rejects.toThrow('down')
  })

  it('serve for their time to live after they were last known to be current', async () => {
    const { world, cache } = subject()
    await cache.get('a')
    world.proven = 60_000
    world.down = true
    world.era = null
    world.time = 60_000 + TIME_TO_LIVE - 1
    expect(await cache.get('a')).toBe('v1')
    world.time += 1
    await expect(cache.get('a')).rejects.toThrow('down')
  })

  it('serve without delay while the database does not answer, unless a change was noticed meanwhile', async () => {
    let load = async () => 'v1'
    const cache = new LiveCache<string>(() => load(), world())
    function world() {
      return { currentEra: () => era, provenAt: () => 0 }
    }
    let era: number | null = 1
    await cache.get('a')
    era = null
    const { promise, reject } = Promise.withResolvers<string>()
    load = () => promise
    expect(await cache.get('a')).toBe('v1')
    const begun = performance.now()
    expect(await cache.get('a')).toBe('v1')
    expect(performance.now() - begun).toBeLessThan(100)
    const late = cache.get('a')
    cache.drop('a')
    reject(new Error('too late'))
    await expect(late).rejects.toThrow('too late')
  })

  it('of absent rows are short-lived and never served when the database is unreachable', async () => {
    const { world, cache } = subject()
    world.value = null
    expect(await cache.get('a')).toBeNull()
    expect(cache.peek('a')).toBeNull()
    world.time = 5_000
    expect(cache.peek('a')).toBeUndefined()
    world.down = true
    await expect(cache.get('a')).rejects.toThrow('down')
  })

  it('are bounded, and invented keys do not evict real ones', async () => {
    const cache = new LiveCache<string>(async (key) => (key.startsWith('real') ? key : null), eraOne)
    await cache.get('real')
    for (let index = 0; index < 12_000; index += 1) await cache.get(`invented-${index}`)
    expect(cache.peek('real')).toBe('real')
    expect(cache.peek('invented-0')).toBeUndefined()
    for (let index = 0; index < 10_000; index += 1) await cache.get(`real-${index}`)
    expect(cache.peek('real')).toBeUndefined()
    expect(cache.peek('real-9999')).toBe('real-9999')
  })
})
