import { once } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import * as tls from 'node:tls'
import { Authority } from '@connectivity/testing/certificates'
import { followUnusedConnections } from './unused-connections.js'

const authority = new Authority()
const secured = { host: '127.0.0.1', servername: 'service', ca: authority.certificate }
afterAll(() => authority.remove())

/** A listener, how to connect to it, and its event for a connection that can carry requests. */
const kinds = [
  {
    kind: 'HTTP',
    create: (): http.Server => http.createServer(),
    open: (port: number): Socket => connect(port, '127.0.0.1'),
    connected: 'connection',
    get: (port: number) => http.get({ port, host: '127.0.0.1', agent: false }),
  },
  {
    kind: 'HTTPS',
    create: (): http.Server => https.createServer(authority.issue('service')),
    open: (port: number): Socket => tls.connect({ ...secured, port }),
    connected: 'secureConnection',
    get: (port: number) => https.get({ ...secured, port, agent: false }),
  },
]

describe.each(kinds)('connections without a request over $kind', ({ create, open, connected, get }) => {
  let server: http.Server
  let end: () => void
  let port: number
  beforeEach(async () => {
    server = create()
    end = followUnusedConnections(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterEach(() => server.close())

  it('do not delay the stop of a server', async () => {
    const client = open(port)
    await once(server, connected)
    const closed = once(server.close(), 'close')
    server.closeIdleConnections()
    end()
    await Promise.all([closed, once(client.resume(), 'close')])
  })

  it('are left alone once the first byte of a request has come', async () => {
    const client = open(port)
    const [near] = (await once(server, connected)) as [Socket]
    client.write('GET /')
    while (near.bytesRead === 0) await new Promise(setImmediate)
    end()
    expect(near.destroyed).toBe(false)
    const answered = once(server, 'request') as Promise<[http.IncomingMessage, http.ServerResponse]>
    client.write(' HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    const [, response] = await answered
    end()
    response.end('served')
    expect(String((await once(client, 'data'))[0])).toContain('served')
    client.destroy()
  })

  it('do not include those that have been answered', async () => {
    server.on('request', (_request, response) => response.end())
    const [answer] = (await once(get(port), 'response')) as [http.IncomingMessage]
    end()
    answer.resume()
    await once(answer, 'end')
    expect(answer.complete).toBe(true)
  })
})
