import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Authority } from '@connectivity/testing/certificates'

/** The images' health check against a listener that answers as a service does. */
describe('the health check', () => {
  let server: Server
  let folder: string
  let port: string
  let status: number

  beforeEach(async () => {
    status = 200
    server = createServer((request, response) =>
      response.writeHead(request.url === '/health/ready' ? status : 404).end(),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    port = String((server.address() as AddressInfo).port)
    folder = mkdtempSync(join(tmpdir(), 'healthcheck-'))
    cpSync(join(import.meta.dirname, 'healthcheck.mjs'), join(folder, 'healthcheck.mjs'))
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function check(env: Record<string, string>) {
    const child = spawn(process.execPath, ['healthcheck.mjs'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const said: Buffer[] = []
    child.stdout.on('data', (data: Buffer) => said.push(data))
    const [code] = (await once(child, 'close')) as [number]
    return { code, said: Buffer.concat(said).toString() }
  }

  it('asks the port that is set in the environment', async () => {
    expect(await check({ PORT: port })).toEqual({ code: 0, said: '' })
  })

  it("asks the gateway's private port", async () => {
    expect(await check({ PORT: '1', PRIVATE_PORT: port })).toMatchObject({ code: 0 })
    expect(await check({ PRIVATE_PORT: port, PRIVATE_HOST: '127.0.0.1' })).toMatchObject({ code: 0 })
    expect(await check({ PRIVATE_PORT: port, PRIVATE_HOST: '127.0.0.2' })).toMatchObject({ code: 1 })
  })

  it.each(['TLS_FILES', 'PRIVATE_TLS_FILES'])('asks over HTTPS with %s', async (key) => {
    const authority = new Authority()
    const secured = createTlsServer(authority.issue('gateway'), (_request, response) => response.end())
    await once(secured.listen(0, '127.0.0.1'), 'listening')
    const { port: PRIVATE_PORT } = secured.address() as AddressInfo
    expect(await check({ PRIVATE_PORT: String(PRIVATE_PORT), [key]: '/run/secrets/tls' })).toEqual({
      code: 0,
      said: '',
    })
    secured.close()
    authority.remove()
  })

  it("asks the service's default port when none is set", async () => {
    mkdirSync(join(folder, 'app/dist'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const config = `export const OTHER = Symbol('other'); export const keys = { PORT: { fallback: '${port}' } }`
    writeFileSync(join(folder, 'app/dist/config.js'), config)
    expect(await check({})).toEqual({ code: 0, said: '' })
  })

  it('fails while the service is not ready, and when nothing listens', async () => {
    status = 503
    expect(await check({ PORT: port })).toEqual({ code: 1, said: `port ${port}: 503\n` })
    server.closeAllConnections()
    server.close()
    expect(await check({ PORT: port })).toEqual({ code: 1, said: `port ${port}: ECONNREFUSED\n` })
  })
})
