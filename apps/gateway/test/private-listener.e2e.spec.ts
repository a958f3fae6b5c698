import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { GatewayProcess } from './gateway-process.js'
import { GatewayUnderTest } from './gateway-under-test.js'
import { call } from './partner.js'

const PRIVATE_HOST = '127.0.0.2'

describe('the private listener', () => {
  const gateway = new GatewayUnderTest()
  beforeAll(() => gateway.start({ PRIVATE_HOST }))
  afterAll(() => gateway.stop())

  it('listens on PRIVATE_HOST alone, and the public one on HOST alone', async () => {
    expect((await call(gateway.privateOrigin, '/health/live')).status).toBe(200)
    expect((await call(gateway.publicOrigin, '/api/connectivity/v1/properties')).status).toBe(401)
    const swapped = [
      gateway.privateOrigin.replace(PRIVATE_HOST, '127.0.0.1'),
      gateway.publicOrigin.replace('127.0.0.1', PRIVATE_HOST),
    ]
    for (const origin of swapped)
      await expect(call(origin, '/health/live')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

describe('a stopping gateway', () => {
  const gateway = new GatewayProcess()
  let unused: Socket
  beforeAll(async () => {
    await gateway.start()
    const { hostname, port } = new URL(gateway.process.url)
    unused = connect(Number(port), hostname)
    await once(unused, 'connect')
  })
  afterAll(() => unused.destroy())

  it('does not wait for a private connection without a request', async () => {
    await gateway.stop()
    expect(gateway.process.exitCode).toBe(0)
  })
})
