import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { jest } from '@jest/globals'
import { closeLingering, markClosing } from './lingering-close.js'

const MIB = 1024 * 1024

describe('a lingering close', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }))
  afterEach(() => void jest.useRealTimers())

  /** Minimal socket; data written to it is data that the client sends. */
  const lingering = () => {
    const socket = new PassThrough()
    const end = jest.spyOn(socket, 'end').mockReturnValue(socket)
    closeLingering(socket as unknown as Socket)
    return { socket, end }
  }

  it('ends our side at once and reads on for 10 s', () => {
    const { socket, end } = lingering()
    expect(end).toHaveBeenCalledTimes(1)
    jest.advanceTimersByTime(9_999)
    expect(socket.destroyed).toBe(false)
    jest.advanceTimersByTime(1)
    expect(socket.destroyed).toBe(true)
  })

  it('discards up to 32 MiB and not a byte more', () => {
    const { socket } = lingering()
    for (let sent = 0; sent < 32; sent += 1) socket.emit('data', Buffer.alloc(MIB))
    expect(socket.destroyed).toBe(false)
    socket.emit('data', Buffer.alloc(1))
    expect(socket.destroyed).toBe(true)
  })

  it('is marked only once', () => {
    const { socket } = lingering()
    expect(markClosing(socket as unknown as Socket)).toBe(false)
  })
})
