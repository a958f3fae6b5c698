import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@connectivity/testing/eventually'
import { PacedReads, startReading } from './paced-reads.js'

const READ = 64 * 1024
const SIZE = 64 * READ

describe('paced reads of bodies', () => {
  let server: Server
  let clients: Socket[]
  let requests: IncomingMessage[]
  beforeEach(async () => {
    clients = []
    requests = []
    // As `holdBody` does: otherwise the unread request pauses the socket when its buffer is full, and resumes it
    // itself.
    server = createServer((request) => requests.push(request) && request.socket.pause()).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => {
    for (const client of clients) client.destroy()
    server.closeAllConnections()
    server.close()
  })

  /** Opens requests that send their bodies at once. */
  async function open(count: number): Promise<IncomingMessage[]> {
    for (let index = 0; index < count; index++) {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
      client.write(`POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${SIZE}\r\n\r\n`)
      client.write(Buffer.alloc(SIZE))
      clients.push(client)
    }
    await eventually(() => expect(requests).toHaveLength(count))
    return requests
  }
  /** Reads bodies and returns the bytes that were read of each so far. */
  function read(all: readonly IncomingMessage[], reads: PacedReads): number[] {
    const bytes = all.map(() => 0)
    all.forEach((request, index) => {
      request.socket.resume()
      request.on('data', (chunk: Buffer) => {
        bytes[index]! += chunk.length
        reads.count(request.socket, chunk.length)
      })
    })
    return bytes
  }
  const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0)

  it('are complete, with little and with much in a round', async () => {
    const all = await open(2)
    const bytes = [read([all[0]!], new PacedReads(3 * SIZE)), read([all[1]!], new PacedReads(4 * READ))]
    await eventually(() => expect(bytes.flat()).toEqual([SIZE, SIZE]))
  })

  it('take at most twice the most of a round in each, from every connection in turn', async () => {
    const all = await open(8)
    const begunAt = performance.now()
    const bytes = read(all, new PacedReads(2 * READ))
    await eventually(() => expect(Math.min(...bytes)).toBeGreaterThan(4 * READ))
    const rounds = Math.ceil((performance.now() - begunAt) / 10)
    // Before it can be stopped, each connection is read up to four times. Two whose turn it is may be read twice each.
    expect(sum(bytes)).toBeLessThanOrEqual((4 * 8 + 4 * (rounds + 1)) * READ)
    expect(Math.max(...bytes)).toBeLessThan(SIZE / 2)
  })

  it('buffer nothing of a connection that waits', async () => {
    const [request] = (await open(1)) as [IncomingMessage]
    const bytes = read([request], new PacedReads(0))
    await sleep(100)
    // What arrived with the head, before the body was read, comes besides.
    expect(bytes[0]).toBeLessThanOrEqual(4 * READ)
    expect([request.readableLength, request.socket.readableLength]).toEqual([0, 0])
  })

  it('go on at once with a connection that is released', async () => {
    const [request] = (await open(1)) as [IncomingMessage]
    const reads = new PacedReads(0)
    const bytes = read([request], reads)
    await sleep(50)
    for (let before = -1; before < bytes[0]!; await sleep(10)) {
      before = bytes[0]!
      reads.release(request.socket)
    }
    expect(bytes[0]).toBe(SIZE)
  })

  it('stay away from a connection that is stopped until it is started', async () => {
    const [request] = (await open(1)) as [IncomingMessage]
    const reads = new PacedReads(2 * SIZE)
    let bytes = 0
    request.socket.resume()
    request.on('data', (chunk: Buffer) => (bytes += chunk.length))
    request.once('data', () => {
      reads.wait(request.socket)
      reads.stop(request.socket)
    })
    await sleep(100)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThanOrEqual(4 * READ)
    startReading(request.socket)
    await eventually(() => expect(bytes).toBe(SIZE))
  })
})
