import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { readConfig } from '../config/config.js'
import { startService } from './service.js'
import { tracingKeys } from '../tracing/tracing-keys.js'

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
})
