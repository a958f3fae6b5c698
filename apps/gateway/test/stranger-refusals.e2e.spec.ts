import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { GatewayUnderTest } from './gateway-under-test.js'
import { headOf, RawClient } from './raw-client.js'

const empty = ['Content-Length: 0']
const otherSite = ['Sec-Fetch-Site: cross-site', 'Content-Length: 0']

describe('a connection whose unauthenticated requests are refused', () => {
  const gateway = new GatewayUnderTest()
  beforeAll(() => gateway.start())
  afterAll(() => gateway.stop())

  it.each([
    ['a method that the token endpoint does not take', 405, `DELETE ${BASE_PATH}/oauth/token`, []],
    ['a sign-in that no page of the portal sent', 403, `POST ${BASE_PATH}/portal/session`, empty],
    ['a sign-in from another site', 403, 'POST /docs/session', otherSite],
    ['a page that does not exist', 404, '/docs/nothing-here', []],
    ['a method that pages do not take', 405, 'DELETE /portal/', []],
    ['no credentials', 401, `GET ${BASE_PATH}/properties`, []],
  ])('is closed after the tenth: %s', async (_name, status, request, headers) => {
    const line = request.includes(' ') ? request : `GET ${request}`
    const raw = await RawClient.open(gateway.publicOrigin)
    await raw.send(headOf(`${line} HTTP/1.1`, 'Host: localhost', ...headers).repeat(15))
    const answers = await raw.untilEnd()
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(status))
    expect(answers.at(-1)!.head).toMatch(/^connection: close\r$/im)
  })
})
