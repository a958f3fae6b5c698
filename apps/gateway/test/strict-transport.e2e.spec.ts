import { GatewayUnderTest } from './gateway-under-test.js'
import { call } from './partner.js'

const HEADER = 'strict-transport-security'

describe('a gateway that listens beyond this machine', () => {
  const gateway = new GatewayUnderTest()
  beforeAll(async () => gateway.start({ HOST: '0.0.0.0' }))
  afterAll(() => gateway.stop())

  it('sends strict transport security to partners but not to operators', async () => {
    const key = await gateway.signingKey(await gateway.pilotConnection(await gateway.approvedApplication()))
    const answers = [await gateway.partner(key).get('/properties'), await call(gateway.publicOrigin, '/nowhere')]
    for (const { headers } of answers) expect(headers[HEADER]).toBe('max-age=63072000')
    expect((await gateway.ops('GET', '/applications')).headers[HEADER]).toBeUndefined()
  })
})
