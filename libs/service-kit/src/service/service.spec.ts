import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Controller, Get, Param } from '@nestjs/common'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { readConfig } from '../config/config.js'
import { startService } from './service.js'
import { tracingKeys } from '../tracing/tracing-keys.js'

@Controller('things')
class Things {
  @Get('fixed')
  fixed(): string {
    return 'fixed'
  }

  @Get(':id')
  one(@Param('id') id: string): string {
    return `the one called ${id}`
  }
}

describe('a service', () => {
  let app: NestFastifyApplication
  beforeAll(async () => {
    const config = { HOST: '127.0.0.1', LOG_LEVEL: 'silent', DRAIN_SECONDS: 0, ...readConfig(tracingKeys, {}) }
    app = await startService({
      name: 'test',
      module: { module: class Everything {}, controllers: [Things] },
      config,
      port: 0,
    })
  })
  afterAll(() => app.close())

  const statusOf = (path: string, headers = {}) =>
    new Promise((resolve, reject) => {
      const { port } = app.getHttpServer().address() as AddressInfo
      request({ port, path, headers }, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end()
    })

  it('accepts heads longer than a partner may send, because the gateway adds headers', async () => {
    expect(await statusOf('/nothing', { 'x-long': 'a'.repeat(20 * 1024) })).toBe(404)
  })

  it('takes targets with scheme and host', async () => {
    expect([await statusOf('http://a/things/a%20b'), await statusOf('http://a/thing%73/a')]).toEqual([200, 404])
  })

  it('takes a path for a fixed one only as it is sent', async () => {
    const { port } = app.getHttpServer().address() as AddressInfo
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    expect(await get('/things/fixed?a=%66')).toBe('fixed')
    expect(await get('/things/a%2Fb%66')).toBe('the one called a/bf')
    for (const path of ['/things/fixe%64', '/%74hings/fixed', '/%74hings/7', '/health/%6Cive']) {
      expect(JSON.parse(await get(path))).toMatchObject({ error: { code: 'not_found' } })
    }
  })
})
