import { pause, settled, unlessAborted } from './stopping.js'

const never = (): Promise<never> => new Promise(() => undefined)
const LONG = 60_000

describe('a stop', () => {
  it('ends a pause and clears its timer', async () => {
    const before = process.getActiveResourcesInfo()
    const stopping = new AbortController()
    const paused = pause(LONG, stopping.signal)
    stopping.abort()
    await paused
    await pause(LONG, stopping.signal)
    expect(process.getActiveResourcesInfo()).toEqual(before)
  })

  it('ends the wait for work that hangs', async () => {
    const stopping = new AbortController()
    const waiting = unlessAborted(never(), stopping.signal)
    stopping.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    await expect(unlessAborted(never(), stopping.signal)).rejects.toThrow('stopped')
  })

  it('keeps the outcome of work that ends before it', async () => {
    const { signal } = new AbortController()
    await expect(unlessAborted(Promise.resolve(1), signal)).resolves.toBe(1)
    await expect(unlessAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed')
  })

  it('passes a late result to the function that disposes of it', async () => {
    const stopping = new AbortController()
    const { promise, resolve } = Promise.withResolvers<string>()
    const late = Promise.withResolvers<string>()
    const waiting = unlessAborted(promise, stopping.signal, late.resolve)
    stopping.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    resolve('a session')
    await expect(late.promise).resolves.toBe('a session')
  })
})

describe('a wait with a limit', () => {
  it('ends with the work, successful or failed, and clears its timer', async () => {
    const before = process.getActiveResourcesInfo()
    await settled(Promise.resolve(), LONG)
    await settled(Promise.reject(new Error('failed')), LONG)
    expect(process.getActiveResourcesInfo()).toEqual(before)
  })

  it('ends at its limit when the work hangs', async () => {
    await expect(settled(never(), 5)).resolves.toBeUndefined()
  })
})
