import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { guardListener } from './listener-guard.js'

describe('connections of one address', () => {
  let server: Server
  let refused = ''
  const sockets: Socket[] = []
  beforeAll(async () => {
    server = createServer((_request, response) => response.end('served'))
    const limits = { MAX_CONNECTIONS: 100, MAX_CONNECTIONS_PER_ADDRESS: 2, TRUSTED_PROXIES: ['127.0.0.9'] }
    guardListener(server, limits, (address) => address !== refused)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  /** Returns the status line on a new connection, or nothing when it is closed at once. */
  const ask = async (localAddress = '127.0.0.1'): Promise<string> => {
    const { port } = server.address() as AddressInfo
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    sockets.push(socket)
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    await Promise.race([once(socket, 'data'), once(socket, 'close')])
    return text.split('\r\n', 1)[0]!
  }

  it('are limited, and a closed one makes room', async () => {
    expect([await ask(), await ask(), await ask()]).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', ''])
    sockets[0]!.destroy()
    let answer = ''
    while (answer === '') answer = await ask()
    expect(answer).toBe('HTTP/1.1 200 OK')
  })

  it.each([
    ['are closed while the address may not connect', '127.0.0.2', ''],
    ['of a trusted proxy are accepted nevertheless', '127.0.0.9', 'HTTP/1.1 200 OK'],
  ])('%s', async (_title, address, answer) => {
    refused = address
    expect(await ask(address)).toBe(answer)
    expect(await ask('127.0.0.3')).toBe('HTTP/1.1 200 OK')
    sockets.at(-1)!.destroy()
  })
})
