import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { readConfig } from './config.js'
import { startService } from './service.js'
import { tracingKeys } from './tracing-keys.js'

/** Opens a number of connections to a port and prints how many were made: all of them, or those of 10 s. */
const CONNECT = `
  const [port, count] = process.argv.slice(1).map(Number)
  let connected = 0
  const end = () => process.exit(console.log(connected))
  const note = () => ++connected === count && end()
  for (let index = 0; index < count; index++) require('node:net').connect(port, '127.0.0.1', note)
  setTimeout(end, 10_000)`

/** Connections that the system lets wait at one listener. */
const waitingAllowed = (): number => Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))

describe('a service', () => {
  let app: NestFastifyApplication
  beforeAll(async () => {
    const config = { HOST: '127.0.0.1', LOG_LEVEL: 'silent', DRAIN_SECONDS: 0, ...readConfig(tracingKeys, {}) }
    app = await startService({ name: 'test', module: { module: class Nothing {} }, config, port: 0 })
  })
  afterAll(() => app.close())

  it('accepts heads longer than a partner may send, because the gateway adds headers', async () => {
    const { port } = app.getHttpServer().address() as AddressInfo
    const status = await new Promise((resolve, reject) => {
      const headers = { 'x-long': 'a'.repeat(20 * 1024) }
      const asked = request({ port, path: '/nothing', headers }, ({ statusCode }) => resolve(statusCode))
      asked.on('error', reject).end()
    })
    expect(status).toBe(404)
  })

  it('lets thousands of connections wait while it is busy', async () => {
    const { port } = app.getHttpServer().address() as AddressInfo
    const count = Math.min(1_500, waitingAllowed())
    // Nothing is accepted during this call: the process is blocked until the other one ends.
    const { stdout } = spawnSync(process.execPath, ['-e', CONNECT, String(port), String(count)], { encoding: 'utf8' })
    expect(stdout).toBe(`${count}\n`)
  })
})
