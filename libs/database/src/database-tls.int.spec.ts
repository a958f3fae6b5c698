import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { as } from '@connectivity/service-kit/config'
import { Authority, type Certificate } from '@connectivity/testing/certificates'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { postgresTls } from '@connectivity/testing/postgres-tls'
import { Database } from './database.js'
import { migrate } from './migrate/migrate.js'

const authority = new Authority()

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
  const databaseAt = (url: string, trusted = '', again?: () => string) =>
    new Database({ url, authorities: as.authorities(trusted, again), applicationName: 'test', migrations: [] })
  const ask = async (url: string, trusted?: string) => {
    const database = databaseAt(url, trusted)
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
    listener = postgresTls(tls, new URL(server.url)).listen(0, '127.0.0.1')
    await once(listener, 'listening')
  })
  afterAll(async () => {
    listener.close()
    await server.drop()
    authority.remove()
  })

  it('accepts clients that trust its authority, migrations included', async () => {
    expect(await ask(urlAt('localhost'), ca)).toBe(1)
    await migrate({ url: urlAt('localhost'), authorities: as.authorities(ca), applicationName: 'test', migrations: [] })
  })

  it('is reached by new connections when its authority was renewed', async () => {
    const served: Certificate = { ...tls }
    const renewing = postgresTls(served, new URL(server.url)).listen(0, '127.0.0.1')
    await once(renewing, 'listening')
    const url = new URL(urlAt('localhost'))
    url.port = String((renewing.address() as AddressInfo).port)
    let trusted = ca
    const database = databaseAt(url.href, ca, () => trusted)
    const all = () =>
      Promise.all([
        ...[1, 2].map(() => database.query('SELECT pg_sleep(0.1)')),
        database.transaction((tx) => tx.query('SELECT 1')),
        database.session().then((session) => session.end()),
      ])
    try {
      await database.query('SELECT 1')
      Object.assign(served, authority.selfSigned('localhost'))
      await expect(all()).rejects.toThrow('self-signed certificate')
      trusted = served.cert
      await all()
      await (await database.entities()).query('SELECT 1')
    } finally {
      await database.close()
      renewing.close()
    }
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
