import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'
import { Authority, type Certificate } from '@connectivity/testing/certificates'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { Database } from './database.js'
import { migrate } from './migrate.js'

const authority = new Authority()

/** Answers a client's SSLRequest (8 bytes) as PostgreSQL does, in front of the real server, which has no TLS. */
function terminate(client: Socket, tls: Certificate, to: URL): void {
  client.on('error', () => undefined)
  client.once('data', () => {
    client.write('S')
    const secured = new TLSSocket(client, { isServer: true, ...tls })
    const server = connect(Number(to.port), to.hostname)
    for (const socket of [secured, server]) socket.on('error', () => secured.destroy())
    secured.pipe(server).pipe(secured)
  })
}

describe('a database behind TLS', () => {
  let server: TestDatabase
  let listener: Server
  const tls = authority.selfSigned('localhost')
  const ca = tls.cert
  const urlAt = (host: string, query = '') => {
    const url = new URL(server.url)
    url.host = `${host}:${(listener.address() as AddressInfo).port}`
    url.search = query
    return url.href
  }
  const ask = async (url: string, trusted?: string) => {
    const database = new Database({ url, ca: trusted, applicationName: 'test', migrations: [] } as never)
    try {
      const { rows } = await database.query<{ one: number }>('SELECT 1 AS one')
      await (await database.entities()).query('SELECT 1')
      return rows[0]!.one
    } finally {
      await database.close()
    }
  }
  beforeAll(async () => {
    server = await createDatabase()
    listener = createServer((client) => terminate(client, tls, new URL(server.url))).listen(0, '127.0.0.1')
    await once(listener, 'listening')
  })
  afterAll(async () => {
    listener.close()
    await server.drop()
    authority.remove()
  })

  it('accepts clients that trust its authority, migrations included', async () => {
    expect(await ask(urlAt('localhost'), ca)).toBe(1)
    await migrate({ url: urlAt('localhost'), ca, applicationName: 'test', migrations: [] })
  })

  it('is reached over TLS even if the address disables it', async () => {
    expect(await ask(urlAt('localhost', '?sslmode=disable'), ca)).toBe(1)
  })

  it('is rejected when its certificate is not trusted or names another host', async () => {
    await expect(ask(urlAt('localhost', '?sslmode=verify-full'))).rejects.toThrow('self-signed certificate')
    await expect(ask(urlAt('localhost'), authority.selfSigned('other').cert)).rejects.toThrow('self-signed certificate')
    await expect(ask(urlAt('127.0.0.1'), ca)).rejects.toThrow(/altnames|does not match/i)
  })
})
