import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { closeAfterAnswer, closeLingering, markClosing } from './lingering-close.js'

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

describe('a connection that is closed while its client sends', () => {
  it('gets the answer, and is read at 64 KiB in 10 ms at most', async () => {
    const sockets: Socket[] = []
    const server = createServer((request, response) => {
      sockets.push(request.socket)
      closeAfterAnswer(request, response)
      response.end('refused')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
    try {
      client.write(`POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${16 * MIB}\r\n\r\n`)
      client.write(Buffer.alloc(16 * MIB))
      const [answer] = (await once(client, 'data')) as [Buffer]
      expect(answer.toString()).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*connection: close\r\n[^]*refused/)
      const [begunAt, before] = [performance.now(), sockets[0]!.bytesRead]
      await sleep(200)
      const rounds = Math.ceil((performance.now() - begunAt) / 10)
      const read = sockets[0]!.bytesRead - before
      expect(read).toBeGreaterThan(0)
      expect(read).toBeLessThanOrEqual((rounds + 2) * 64 * 1024)
    } finally {
      client.destroy()
      server.closeAllConnections()
      server.close()
    }
  })
})
