import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { followUnusedConnections } from './unused-connections.js'

describe('connections without a request', () => {
  let server: Server
  let end: () => void
  let port: number
  beforeEach(async () => {
    server = createServer()
    end = followUnusedConnections(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterEach(() => server.close())

  it('do not delay the stop of a server', async () => {
    const client = connect(port, '127.0.0.1')
    await once(server, 'connection')
    const closed = once(server.close(), 'close')
    server.closeIdleConnections()
    end()
    await Promise.all([closed, once(client, 'close')])
  })

  it('are left alone once the first byte of a request has come', async () => {
    const client = connect(port, '127.0.0.1')
    const [near] = (await once(server, 'connection')) as [NodeJS.Socket & { bytesRead: number; destroyed: boolean }]
    client.write('GET /')
    while (near.bytesRead === 0) await new Promise(setImmediate)
    end()
    expect(near.destroyed).toBe(false)
    const answered = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>
    client.write(' HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    const [, response] = await answered
    end()
    response.end('served')
    expect(String((await once(client, 'data'))[0])).toContain('served')
    client.destroy()
  })

  it('do not include those that have been answered', async () => {
    server.on('request', (_request, response) => response.end())
    const request = get({ port, host: '127.0.0.1', agent: false })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    end()
    answer.resume()
    await once(answer, 'end')
    expect(answer.complete).toBe(true)
  })
})
