import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, get, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { Authority, type Certificate } from '@connectivity/testing/certificates'
import { eventually } from '@connectivity/testing/eventually'
import { readConfig } from '../config/config.js'
import { followTls, readTls } from './listener-tls.js'
import { createLogger } from '../logging/logging.js'
import { startService } from './service.js'
import { tracingKeys } from '../tracing/tracing-keys.js'

const log = createLogger('test', 'silent')
const authority = new Authority()
const folder = mkdtempSync(join(tmpdir(), 'listener-tls-'))

const put = ({ cert, key }: Certificate): void => {
  writeFileSync(join(folder, 'tls.crt'), cert)
  writeFileSync(join(folder, 'tls.key'), key)
}

/** Sends a request on a new connection. @returns the status and the serial number of the server's certificate */
async function ask(server: Pick<Server, 'address'>, path = '/'): Promise<{ status: number; serial: string }> {
  const { port } = server.address() as AddressInfo
  const asked = get({ host: '127.0.0.1', servername: 'service', port, path, ca: authority.certificate, agent: false })
  const [answer] = (await once(asked, 'response')) as [import('node:http').IncomingMessage]
  const { serialNumber } = (answer.socket as import('node:tls').TLSSocket).getPeerCertificate()
  answer.resume()
  return { status: answer.statusCode!, serial: serialNumber }
}

beforeEach(() => put(authority.issue('service')))
afterAll(() => {
  authority.remove()
  rmSync(folder, { recursive: true })
})

describe('the certificate of a listener', () => {
  it('is refused when a file is missing, is not PEM, or belongs to another key', () => {
    expect(() => readTls(join(folder, 'none'))).toThrow(/tls\.crt and tls\.key in .*none cannot be used: ENOENT/)
    writeFileSync(join(folder, 'tls.key'), authority.issue('other').key)
    expect(() => readTls(folder)).toThrow('cannot be used')
    writeFileSync(join(folder, 'tls.key'), 'no key')
    expect(() => readTls(folder)).toThrow('cannot be used')
  })

  it('is renewed while the server runs, once certificate and key belong together', async () => {
    const server = createServer(readTls(folder), (_request, response) => response.end())
    followTls(server, folder, log, 10)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { serial: first } = await ask(server)
    const renewed = authority.issue('service')
    writeFileSync(join(folder, 'tls.crt'), renewed.cert)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await ask(server)).serial).toBe(first)
    writeFileSync(join(folder, 'tls.key'), renewed.key)
    await eventually(async () => expect((await ask(server)).serial).not.toBe(first))
    server.close()
    await once(server, 'close')
  })
})

describe('a service with a certificate', () => {
  let app: NestFastifyApplication
  beforeAll(async () => {
    put(authority.issue('service'))
    const config = { HOST: '127.0.0.1', LOG_LEVEL: 'silent', DRAIN_SECONDS: 0, ...readConfig(tracingKeys, {}) }
    const module = { module: class Nothing {} }
    app = await startService({ name: 'test', module, config, port: 0, tlsFiles: folder })
  })
  afterAll(() => app.close())

  it('answers over HTTPS only', async () => {
    const server = app.getHttpServer() as unknown as Server
    expect((await ask(server, '/health/live')).status).toBe(200)
    const plain = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/health/live`)
    await expect(plain).rejects.toThrow()
  })
})
