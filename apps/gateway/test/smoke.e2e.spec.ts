import { GatewayUnderTest } from './gateway-under-test.js'

describe('smoke', () => {
  const gateway = new GatewayUnderTest()
  beforeAll(() => gateway.start())
  afterAll(() => gateway.stop())
  it('works', async () => {
    const app = await gateway.approvedApplication()
    const con = await gateway.pilotConnection(app)
    const key = await gateway.signingKey(con)
    process.stderr.write(JSON.stringify(key) + '\n')
    const partner = gateway.partner(key)
    for (const p of [
      '/properties',
      '/auth/health',
      `/reservations?property_id=${con}`,
      '/nope',
      '/%72eservations',
      '/%zz',
    ]) {
      const a = await partner.get(p)
      process.stderr.write(`${p} ${a.status} ${JSON.stringify(a.headers)} ${a.text}\n`)
    }
    const b = await gateway.ops('GET', '/audit')
    process.stderr.write(`${b.status} ${b.text}\n`)
  })
})
