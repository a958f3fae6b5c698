import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Transaction } from '@connectivity/database'
import { createLogger } from '@connectivity/service-kit/logging'
import { eventually } from '@connectivity/testing/eventually'
import type { AnsweredPoll, Progress } from './progress.js'
import { PollProgress } from './poll-progress.service.js'
import type { ProgressStore } from './progress.store.js'

const silent = createLogger('test', 'silent')
const page = (from: number, last: number): AnsweredPoll => ({ from, implied: from, last, at: Date.now() })
const empty = (from: number): AnsweredPoll => ({ from, implied: from, last: null, at: Date.now() })

/** A store in memory. */
class FakeStore {
  readonly stored = new Map<string, Progress>()
  /** Connections of each transaction, whether it changed them or not. */
  readonly looks: { ids: readonly string[]; at: number }[] = []
  isAway = false

  lock(_tx: Transaction, ids: readonly string[]): Promise<Map<string, Progress>> {
    if (this.isAway) return Promise.reject(new Error('away'))
    this.looks.push({ ids, at: performance.now() })
    return Promise.resolve(new Map([...this.stored].filter(([id]) => ids.includes(id))))
  }

  write(_tx: Transaction, all: ReadonlyMap<string, Progress>): void {
    for (const [id, progress] of all) this.stored.set(id, progress)
  }
}

describe('polls are noted, and', () => {
  let store: FakeStore
  let progress: PollProgress
  const started = (seconds: number) => {
    store = new FakeStore()
    const database = { transaction: (work: (tx: Transaction) => unknown) => work({} as Transaction) }
    progress = new PollProgress(database as unknown as Database, store as unknown as ProgressStore, silent, {
      PROGRESS_WRITE_SECONDS: seconds,
    })
    progress.onApplicationBootstrap()
  }
  afterEach(() => progress.onApplicationShutdown())

  const looksAt = (id: string) => store.looks.filter(({ ids }) => ids.includes(id))
  const isStored = (id: string, expected: Partial<Progress>) =>
    eventually(() => expect(store.stored.get(id)).toMatchObject(expected))

  it('one that advances is written at once', async () => {
    started(60)
    progress.note('con_1', page(0, 100))
    await isStored('con_1', { servedTo: 100, processedTo: 0 })
  })

  it('a connection is written once in an interval, and does not delay others', async () => {
    started(1)
    progress.note('con_1', page(0, 100))
    await isStored('con_1', { servedTo: 100 })
    progress.note('con_1', page(101, 200))
    progress.note('con_1', empty(201))
    progress.note('con_2', page(0, 100))
    await isStored('con_2', { servedTo: 100 })
    expect(store.stored.get('con_1')).toMatchObject({ servedTo: 100 })
    await isStored('con_1', { servedTo: 200, processedTo: 200 })
    const [first, second, ...others] = looksAt('con_1')
    expect(second!.at - first!.at).toBeGreaterThan(990)
    expect(others).toEqual([])
  })

  it('connections that are polled together are written together', async () => {
    started(60)
    const ids = Array.from({ length: 200 }, (_, index) => `con_${index}`)
    for (const id of ids) {
      progress.note(id, page(0, 100))
      await delay(0)
    }
    for (const id of ids) await isStored(id, { servedTo: 100 })
    const gaps = store.looks.slice(1).map(({ at }, index) => at - store.looks[index]!.at)
    expect(Math.min(...gaps)).toBeGreaterThan(95)
  })

  it('idle ones leave nothing to write', async () => {
    started(60)
    progress.note('con_1', page(0, 100))
    progress.note('con_1', empty(101))
    await isStored('con_1', { processedTo: 100 })
    for (let count = 0; count < 10; count++) progress.note('con_1', empty(101))
    await progress.write()
    expect(looksAt('con_1')).toHaveLength(1)
  })

  it('one that does not count yet waits for the next round, and is judged twice', async () => {
    started(2)
    progress.note('con_1', page(0, 100))
    await isStored('con_1', { servedTo: 100 })
    // The round that ends the interval has passed, the next one comes in 1 s.
    await delay(3_000)
    const notedAt = performance.now()
    progress.note('con_1', empty(201))
    await eventually(() => expect(looksAt('con_1')).toHaveLength(2))
    expect(looksAt('con_1')[1]!.at - notedAt).toBeGreaterThan(300)
    // Another process writes the page that the poll follows.
    store.stored.set('con_1', { ...store.stored.get('con_1')!, servedTo: 200 })
    await isStored('con_1', { servedTo: 200, processedTo: 200 })
    expect(looksAt('con_1')).toHaveLength(3)
  }, 20_000)

  it('the newest of too many are kept', async () => {
    started(60)
    for (let last = 1; last <= 150; last++) progress.note('con_1', page(last - 1, last))
    progress.note('con_1', empty(151))
    await isStored('con_1', { servedTo: 150, processedTo: 150 })
  })

  it('settled ones are stored, also while they are being written, and judged again if they do not count yet', async () => {
    started(60)
    progress.note('con_1', page(0, 100))
    await progress.settle('con_1')
    expect(store.stored.get('con_1')).toMatchObject({ servedTo: 100 })
    progress.note('con_1', empty(201))
    await progress.settle('con_1')
    await progress.settle('con_1')
    expect(store.stored.get('con_1')).toMatchObject({ servedTo: 100, processedTo: 0 })
    store.stored.set('con_1', { ...store.stored.get('con_1')!, servedTo: 200 })
    await progress.settle('con_1')
    expect(store.stored.get('con_1')).toMatchObject({ processedTo: 200 })
  })

  it('notes that could not be written are written later', async () => {
    started(1)
    store.isAway = true
    progress.note('con_1', page(0, 100))
    await expect(progress.settle('con_1')).rejects.toThrow('away')
    store.isAway = false
    progress.note('con_1', empty(101))
    await isStored('con_1', { servedTo: 100, processedTo: 100 })
  })
})
