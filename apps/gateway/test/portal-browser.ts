import { BASE_PATH } from '@connectivity/contracts/partner-api'
import type { GatewayUnderTest } from './gateway-under-test.js'
import { type Answer, call } from './partner.js'

/** Headers that a browser adds to requests of our own pages. */
export const sameOrigin = (origin: string): Record<string, string> => ({ 'sec-fetch-site': 'same-origin', origin })

/** The secret of a new link. */
export async function portalToken(
  gateway: GatewayUnderTest,
  application: string,
  { role = 'developer', email = 'ada@pms.example' } = {},
): Promise<{ id: string; token: string }> {
  const { status, json } = await gateway.ops('POST', `/applications/${application}/portal-links`, {
    ...{ email, role, reason: 'test' },
  })
  expect(status).toBe(201)
  return { id: json.portal_link_id as string, token: (json.url as string).split('#')[1]! }
}

/** A browser in the portal, reduced to its HTTP requests. */
export class PortalBrowser {
  cookie = ''

  constructor(private readonly origin: string) {}

  async signIn(token: string, headers: Record<string, string> = sameOrigin(this.origin)): Promise<Answer> {
    const answer = await this.send('POST', '/portal/session', JSON.stringify({ token }), headers)
    this.cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? this.cookie
    return answer
  }

  get(path: string, headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }): Promise<Answer> {
    return this.send('GET', path, undefined, headers)
  }

  /** @param body JSON text */
  send(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = sameOrigin(this.origin),
  ): Promise<Answer> {
    const content = body === undefined ? {} : { 'content-type': 'application/json' }
    const cookie = this.cookie === '' ? {} : { cookie: this.cookie }
    return call(this.origin, BASE_PATH + path, { method, headers: { ...cookie, ...content, ...headers }, body })
  }
}
