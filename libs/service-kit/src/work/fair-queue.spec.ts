import { setImmediate as turn } from 'node:timers/promises'
import { waitForTurn, FairQueue, FairQueues, type FairQueueRules } from './fair-queue.js'

/** At most two tasks at once, one of each name. */
const oneEach: FairQueueRules = { mayBegin: (_name, own, all) => own < 1 && all < 2 }

/** Enters tasks under the names and records the order in which they begin. */
function entering(queue: FairQueue) {
  const begun: string[] = []
  const enter = (name: string) => {
    const waiting = queue.enter(name)
    if (waiting === null) begun.push(name)
    else
      waiting.begun.then(
        () => begun.push(name),
        () => undefined,
      )
    return waiting
  }
  const leave = async (name: string) => {
    queue.leave(name)
    await turn()
  }
  return { begun, enter, leave }
}

describe('a fair queue', () => {
  it('begins work at once while the rules allow it', () => {
    const { begun, enter } = entering(new FairQueue(oneEach))
    for (const name of ['a', 'a', 'b', 'c']) enter(name)
    expect(begun).toEqual(['a', 'b'])
  })

  it('serves names in turn, even when one of them asks for much more', async () => {
    const { begun, enter, leave } = entering(new FairQueue({ mayBegin: (_name, _own, all) => all < 1 }))
    for (const name of ['a', 'a', 'a', 'b', 'a', 'c', 'b']) enter(name)
    for (const name of ['a', 'a', 'b', 'c', 'a', 'b']) await leave(name)
    expect(begun.join('')).toBe('aabcaba')
  })

  it('takes work that has already begun into account', async () => {
    let room = 1
    const queue = new FairQueue({ mayBegin: () => room > 0, onBegin: () => (room -= 1) })
    const { begun, enter } = entering(queue)
    for (const name of ['a', 'b', 'c', 'd']) enter(name)
    room = 2
    queue.advance()
    await turn()
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('continues without work that is given up, and does not take back a turn that was given', async () => {
    const { begun, enter, leave } = entering(new FairQueue(oneEach))
    enter('a')
    const [second, third] = [enter('a')!, enter('a')!]
    second.giveUp(new Error('too late'))
    await expect(second.begun).rejects.toThrow('too late')
    await leave('a')
    expect(begun).toEqual(['a', 'a'])
    third.giveUp(new Error('too late'))
    await third.begun
  })

  it('counts the waiting tasks of a name, and reports when none is left', async () => {
    const ends: string[] = []
    const queue = new FairQueue({ ...oneEach, onIdle: () => ends.push('idle') })
    const { enter, leave } = entering(queue)
    enter('a')
    enter('a')
    expect([queue.waiting('a'), queue.waiting('b'), [...queue.waitingNames()]]).toEqual([1, 0, ['a']])
    await leave('a')
    expect([queue.waiting('a'), ends]).toEqual([0, []])
    await leave('a')
    expect(ends).toEqual(['idle'])
  })

  it('frees the place of work that fails', async () => {
    const queue = new FairQueue({ mayBegin: (_name, _own, all) => all < 1 })
    const failed = queue.run('a', () => Promise.reject(new Error('failed')))
    const next = queue.run('a', () => Promise.resolve('done'))
    await expect(failed).rejects.toThrow('failed')
    expect(await next).toBe('done')
  })

  it('limits the wait of work, which never begins then', async () => {
    const queue = new FairQueue(oneEach)
    const [end, gone, begun] = [Promise.withResolvers<void>(), new AbortController(), [] as string[]]
    const late = () => new Error('too late')
    const first = queue.run('a', () => end.promise, { ms: 1, late })
    const run = (name: string, signal?: AbortSignal) =>
      queue.run('a', async () => void begun.push(name), { ms: signal ? 60_000 : 1, late, signal })
    const left = run('left', gone.signal)
    await expect(run('late')).rejects.toThrow('too late')
    gone.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    await expect(run('gone before', gone.signal)).rejects.toThrow('gone')
    end.resolve()
    await first
    await run('next')
    expect(begun).toEqual(['next'])
  })
})

describe('fair queues of groups', () => {
  it('do not wait for each other, and are forgotten when they are idle', async () => {
    const queues = new FairQueues({ mayBegin: (_name, _own, all) => all < 1 })
    const end = Promise.withResolvers<void>()
    const first = queues.of('a').run('x', () => end.promise)
    const second = queues.of('a').run('x', () => Promise.resolve())
    await queues.of('b').run('x', () => Promise.resolve())
    expect([queues.waiting('a', 'x'), queues.waiting('b', 'x')]).toEqual([1, 0])
    const busy = queues.of('a')
    end.resolve()
    await Promise.all([first, second])
    expect(queues.of('a')).not.toBe(busy)
  })
})

describe('the wait for a turn', () => {
  const late = () => new Error('too late')
  const busy = () => {
    const queue = new FairQueue(oneEach)
    queue.enter('a')
    return queue
  }

  it('ends with the turn', async () => {
    const queue = busy()
    const waits = waitForTurn(queue.enter('a'), { ms: 60_000, late })
    queue.leave('a')
    await waits
    await waitForTurn(queue.enter('b'), { late })
  })

  it('fails after its longest time, and leaves the queue', async () => {
    const queue = busy()
    await expect(waitForTurn(queue.enter('a'), { ms: 1, late })).rejects.toThrow('too late')
    expect(queue.waiting('a')).toBe(0)
  })

  it('fails with the reason of a signal, and leaves the queue', async () => {
    const [queue, abort] = [busy(), new AbortController()]
    const waits = waitForTurn(queue.enter('a'), { late, signal: abort.signal })
    abort.abort(new Error('stopped'))
    await expect(waits).rejects.toThrow('stopped')
    expect(queue.waiting('a')).toBe(0)
  })
})
