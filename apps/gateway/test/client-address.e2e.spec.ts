import { GatewayUnderTest } from './gateway-under-test.js'
import { call } from './partner.js'

describe('without trusted proxies', () => {
  const gateway = new GatewayUnderTest()
  // A Redis of its own: all tests share this machine's address.
  beforeAll(() => gateway.start({ FAILED_AUTH_PER_MINUTE: 3 }))
  afterAll(() => gateway.stop())

  it('no client can claim an address other than its own', async () => {
    const fail = (_: unknown, index: number) =>
      call(gateway.publicOrigin, '/api/connectivity/v1/properties', {
        headers: { 'X-Forwarded-For': `192.0.2.${index}` },
      })
    const answers = await Promise.all(Array.from({ length: 6 }, fail))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3)
  })
})
