import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { guardListener } from './listener-guard.js'

describe('connections of one address', () => {
  let server: Server
  const sockets: Socket[] = []
  beforeAll(async () => {
    server = createServer((_request, response) => response.end('served'))
    guardListener(server, { MAX_CONNECTIONS: 100, MAX_CONNECTIONS_PER_ADDRESS: 2, TRUSTED_PROXIES: [] })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  /** What a new connection gets to read: an answer, or nothing when it is closed at once. */
  const ask = async (): Promise<string> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    sockets.push(socket)
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    await Promise.race([once(socket, 'data'), once(socket, 'close')])
    return text.split('\r\n', 1)[0]!
  }

  it('are limited, and one that ends makes room', async () => {
    expect([await ask(), await ask(), await ask()]).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', ''])
    sockets[0]!.destroy()
    let answer = ''
    while (answer === '') answer = await ask()
    expect(answer).toBe('HTTP/1.1 200 OK')
  })
})
