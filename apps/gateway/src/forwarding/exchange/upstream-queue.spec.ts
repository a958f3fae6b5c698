import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { AnswerMemory } from '../answers/answer-memory.service.js'
import { UpstreamQueue } from './upstream-queue.js'

const signal = () => new EventEmitter()

describe('the queue for the connections to a service', () => {
  let memory: AnswerMemory
  let queue: UpstreamQueue
  let entered: string[]
  beforeEach(() => {
    memory = new AnswerMemory()
    queue = queueOf(2, 0)
    entered = []
  })

  const queueOf = (perApplication: number, reserved: number) =>
    new UpstreamQueue({ connections: 4, perApplication, reserved, answerBytes: 1024 }, memory)
  const enter = (applicationId: string, asked = signal()): void => {
    const note = () => void entered.push(applicationId)
    const place = queue.enter(applicationId, asked)
    if (place) place.then(note, () => undefined)
    else note()
  }

  const enterMany = (...applications: string[]) => applications.forEach((each) => enter(each))

  it('gives one application its share and the others the rest', () => {
    enterMany('a', 'a', 'a', 'b', 'b', 'b')
    expect(entered).toEqual(['a', 'a', 'b', 'b'])
  })

  it('keeps places for applications without a request in work', async () => {
    queue = queueOf(4, 1)
    enterMany('a', 'a', 'a', 'a', 'b')
    expect(entered).toEqual(['a', 'a', 'a', 'b'])
    queue.leave('a')
    await turn()
    expect(entered).toEqual(['a', 'a', 'a', 'b'])
    queue.leave('b')
    await turn()
    expect(entered).toEqual(['a', 'a', 'a', 'b', 'a'])
  })

  it('lets an application without a request in work in before ten that have one each', async () => {
    const busy = Array.from({ length: 10 }, (_, index) => `busy ${index}`)
    queue = new UpstreamQueue({ connections: 20, perApplication: 8, reserved: 4, answerBytes: 1024 }, memory)
    for (let count = 0; count < 3; count++) enterMany(...busy)
    expect(entered).toHaveLength(16)
    enter('healthy')
    expect(entered.at(-1)).toBe('healthy')
  })

  it('lets the application with the fewest requests in work in first', async () => {
    enterMany('a', 'a', 'b', 'b', 'a', 'a', 'a', 'c')
    for (const each of ['a', 'b', 'b', 'a']) {
      queue.leave(each)
      await turn()
    }
    expect(entered.slice(4)).toEqual(['c', 'a', 'a'])
  })

  it('forgets a cancelled request', async () => {
    const asked = signal()
    enterMany('a', 'a')
    enter('a', asked)
    asked.emit('abort')
    enter('a')
    queue.leave('a')
    await turn()
    expect(entered).toEqual(['a', 'a', 'a'])
    queue.leave('a')
    queue.leave('a')
    expect(memory.applications).toBe(0)
  })

  it('holds back an application that keeps too many bytes, until it keeps fewer', async () => {
    const reader = { applicationId: 'a', kept: 0, taken: 0, isPaused: false, end: () => undefined }
    memory.open(reader)
    memory.change(reader, 40 * 1024 * 1024)
    enterMany('a', 'b')
    expect(entered).toEqual(['b'])
    memory.change(reader, -20 * 1024 * 1024)
    await turn()
    expect(entered).toEqual(['b', 'a'])
    memory.change(reader, -20 * 1024 * 1024)
    memory.close(reader)
  })

  it('refuses a request that waits longer than its patience, and keeps the order of the others', async () => {
    const limits = { connections: 1, perApplication: 1, reserved: 0, answerBytes: 1024 }
    const impatient = new UpstreamQueue({ ...limits, patience: 10 }, memory)
    expect(impatient.enter('a', signal())).toBeNull()
    await expect(impatient.enter('a', signal())).rejects.toThrow('no place at the service became free in time')
    const next = impatient.enter('a', signal())
    impatient.leave('a')
    await expect(next).resolves.toBeUndefined()
  })
})
