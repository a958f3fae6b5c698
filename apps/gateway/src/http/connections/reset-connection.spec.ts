import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { resetConnection } from './reset-connection.js'

const server = createServer({ allowHalfOpen: true })
beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
afterAll(() => server.close())

/** @returns both ends of a new connection */
async function connection(): Promise<{ near: Socket; far: Socket }> {
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const far = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  const [near] = await accepted
  return { near, far }
}

describe('resetting a connection', () => {
  it('closes one with TLS', async () => {
    const { near, far } = await connection()
    const secured = new TLSSocket(near, { isServer: true })
    secured.on('error', () => undefined)
    const ended = once(far.resume(), 'end')
    resetConnection(secured)
    await ended
    far.destroy()
  })

  it('reaches the other side as a reset', async () => {
    const { near, far } = await connection()
    const failed = once(far, 'error')
    resetConnection(near)
    expect(await failed).toMatchObject([{ code: 'ECONNRESET' }])
  })

  it.each([
    ['is open', () => undefined],
    ['is being shut down', (socket: Socket) => void socket.end()],
    ['is being shut down after unread bytes', (socket: Socket) => void socket.end(Buffer.alloc(32 << 20))],
    ['has been shut down', (socket: Socket) => once(socket.end(), 'finish')],
    ['has been destroyed', (socket: Socket) => void socket.destroy()],
  ])('closes one that %s', async (_state, prepare) => {
    const { near, far } = await connection()
    const closed = new Promise((resolve) => near.on('error', () => undefined).once('close', resolve))
    far.on('error', () => undefined)
    await prepare(near)
    // Node starts the shutdown at the end of the turn.
    await new Promise(process.nextTick)
    resetConnection(near)
    far.destroy()
    await closed
  })
})
