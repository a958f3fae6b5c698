import { jest } from '@jest/globals'
import { AnswerMemory, type EndedFor, LARGEST_KEPT_ANSWER, MEASURED_FOR, type Reader } from './answer-memory.service.js'

const MIB = 1024 * 1024

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** A client that reads its answer as fast as the test says. */
class FakeReader implements Reader {
  kept = 0
  taken = 0
  isPaused = false
  endedFor: EndedFor | null = null

  constructor(
    readonly applicationId: string,
    private readonly memory: AnswerMemory,
    private readonly size: number,
  ) {
    memory.open(this)
    this.kept = size
    memory.change(this, size)
  }

  take(bytes: number): void {
    this.taken += bytes
    this.kept = this.size - this.taken
    this.memory.change(this, -bytes)
  }

  end(reason: EndedFor): void {
    this.endedFor = reason
    const { kept } = this
    this.kept = 0
    this.memory.close(this)
    this.memory.change(this, -kept)
  }
}

describe('the memory for answers', () => {
  let memory: AnswerMemory
  beforeEach(() => void (memory = new AnswerMemory()))

  const reader = (applicationId: string, mebibytes = 4) => new FakeReader(applicationId, memory, mebibytes * MIB)

  /** Opens readers of 1 MiB while the application may send requests. */
  const fill = (applicationId: string) => {
    const readers: FakeReader[] = []
    while (readers.length < 100 && memory.hasRoomFor(applicationId, MIB)) readers.push(reader(applicationId, 1))
    return readers
  }

  const wait = (...applications: string[]) => memory.serve({ waiting: () => applications, resume: () => undefined })

  const windows = (count: number) => jest.advanceTimersByTime(count * MEASURED_FOR)

  it.each([
    [1, [32]],
    [2, [32, 16]],
    [3, [32, 16, 8]],
  ])('leaves room for another application when %d applications keep all they may', (count, expected) => {
    const names = Array.from({ length: count }, (_, index) => `app_${index}`)
    expect(names.map((name) => fill(name).length)).toEqual(expected)
    expect(memory.hasRoomFor('another', MIB)).toBe(true)
  })

  it('never lets an application wait whose clients have read all answers, however little memory is left', () => {
    for (let index = 0; index < 24; index++) reader(`app_${index}`)
    memory.claim('another', LARGEST_KEPT_ANSWER)
    expect(memory.hasRoomFor('another', LARGEST_KEPT_ANSWER)).toBe(true)
    const unread = reader('another')
    expect(memory.hasRoomFor('another', LARGEST_KEPT_ANSWER)).toBe(false)
    unread.take(4 * MIB)
    expect(memory.hasRoomFor('another', LARGEST_KEPT_ANSWER)).toBe(true)
  })

  it('keeps slow readers while no application waits', () => {
    const readers = fill('greedy')
    windows(10)
    expect(readers.some(({ endedFor }) => endedFor)).toBe(false)
  })

  it('ends slow readers of an application that keeps more than a waiting one, until the waiting one may go on', () => {
    const [greedy, modest] = [fill('greedy'), fill('modest')]
    wait('modest')
    windows(2)
    const ended = (readers: FakeReader[]) => readers.filter(({ endedFor }) => endedFor === 'memory').length
    expect(ended(modest)).toBe(0)
    expect(ended(greedy)).toBeGreaterThan(0)
    expect(ended(greedy)).toBeLessThan(greedy.length)
    expect(memory.hasRoomFor('modest', LARGEST_KEPT_ANSWER)).toBe(true)
  })

  it('spares readers of 64 KB a second and more', () => {
    const readers = fill('greedy')
    fill('modest')
    wait('modest')
    for (let second = 0; second < 10; second++) {
      for (const each of readers.slice(0, 4)) each.take(70 * 1024)
      jest.advanceTimersByTime(1_000)
    }
    expect(readers.slice(0, 4).some(({ endedFor }) => endedFor)).toBe(false)
    expect(readers.slice(4).some(({ endedFor }) => endedFor)).toBe(true)
  })

  it('ends a slow reader that holds a connection to a service even if no application waits', () => {
    const slow = reader('greedy')
    slow.isPaused = true
    windows(2)
    expect(slow.endedFor).toBe('connection')
  })

  it('never keeps more than twice the budget', () => {
    const first = reader('greedy')
    reader('greedy')
    for (let index = 0; index < 40; index++) reader(`app_${index}`)
    expect(memory.keptBytes).toBeLessThanOrEqual(128 * MIB)
    expect(first.endedFor).toBe('memory')
  })

  it('forgets an application that keeps nothing', () => {
    memory.claim('a', MIB)
    const one = reader('a')
    memory.unclaim('a', MIB)
    one.take(4 * MIB)
    expect({ kept: memory.keptBytes, applications: memory.applications }).toEqual({ kept: 0, applications: 0 })
    memory.close(one)
    windows(2)
    expect(jest.getTimerCount()).toBe(0)
  })
})
