import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { Database } from './database.js'
import { migrate } from './migrate.js'

const dir = mkdtempSync(join(tmpdir(), 'database-tls-'))
const file = (name: string) => join(dir, name)

/** Makes a certificate for a name, which vouches for itself. */
function certificate(name: string): { key: Buffer; cert: Buffer } {
  const out = ['-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-days', '2']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...key, ...out, ...subject], { stdio: 'pipe' })
  return { key: readFileSync(file(`${name}.key`)), cert: readFileSync(file(`${name}.crt`)) }
}

/** What PostgreSQL does with a client that asks for TLS (SSLRequest, 8 bytes), before the real one that has none. */
function terminate(client: Socket, tls: { key: Buffer; cert: Buffer }, to: URL): void {
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
  const tls = certificate('localhost')
  const ca = String(tls.cert)
  const urlAt = (host: string, query = '') => {
    const url = new URL(server.url)
    url.host = `${host}:${(listener.address() as AddressInfo).port}`
    url.search = query
    return url.href
  }
  const ask = async (url: string, trusted?: string) => {
    const database = new Database({ url, ca: trusted, applicationName: 'test', migrations: [] } as never)
    try {
      const { rows } = await database.reads.query<{ one: number }>('SELECT 1 AS one')
      await (await database.dataSource()).query('SELECT 1')
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
    rmSync(dir, { recursive: true })
  })

  it('is reached by those that trust its authority, migrations too', async () => {
    expect(await ask(urlAt('localhost'), ca)).toBe(1)
    await migrate({ url: urlAt('localhost'), ca, applicationName: 'test', migrations: [] })
  })

  it('is asked for its certificate whatever the address says', async () => {
    expect(await ask(urlAt('localhost', '?sslmode=disable'), ca)).toBe(1)
  })

  it('is left alone when nobody vouches for it, or it has another name', async () => {
    await expect(ask(urlAt('localhost', '?sslmode=verify-full'))).rejects.toThrow('self-signed certificate')
    await expect(ask(urlAt('localhost'), String(certificate('other').cert))).rejects.toThrow('self-signed certificate')
    await expect(ask(urlAt('127.0.0.1'), ca)).rejects.toThrow(/altnames|does not match/i)
  })
})
