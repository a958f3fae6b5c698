import { BASE_PATH, TOKEN_PATH } from '@connectivity/contracts/partner-api'
import type { GatewayUnderTest } from './gateway-under-test.js'
import { type Answer, call, type Call } from './partner.js'

export interface IssuedClient {
  credential_id: string
  client_id: string
  client_secret: string
}

const FORM = 'application/x-www-form-urlencoded'

export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`

/** A partner's software with an OAuth client. */
export class OAuthPartner {
  constructor(
    private readonly origin: string,
    readonly client: IssuedClient,
  ) {}

  static async issued(gateway: GatewayUnderTest, connectionId: string, given: object = {}): Promise<OAuthPartner> {
    const body = { type: 'oauth', reason: 'test', ...given }
    const { json } = await gateway.ops('POST', `/connections/${connectionId}/credentials`, body)
    return new OAuthPartner(gateway.publicOrigin, json as unknown as IssuedClient)
  }

  /** Sends a form to the token endpoint unchanged. */
  form(body: string, headers: Record<string, string> = {}, query = ''): Promise<Answer> {
    return this.post(body, { 'content-type': FORM, ...headers }, query)
  }

  post(body: string, headers: Call['headers'], query = ''): Promise<Answer> {
    return call(this.origin, BASE_PATH + TOKEN_PATH + query, { method: 'POST', headers, body })
  }

  /** A token request by client_secret_post. */
  ask(given: Record<string, string> = {}): Promise<Answer> {
    const { client_id, client_secret } = this.client
    return this.form(
      String(new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, ...given })),
    )
  }

  async token(given: Record<string, string> = {}): Promise<string> {
    return (await this.ask(given)).json.access_token as string
  }

  get(path: string, token: string, headers: Record<string, string> = {}): Promise<Answer> {
    return call(this.origin, BASE_PATH + path, { headers: { authorization: `Bearer ${token}`, ...headers } })
  }
}

/** The answer of a refused token request, for `toMatchObject`. */
export const refused = (status: number, code: string, pointer?: string) => ({
  status,
  headers: expect.objectContaining({ 'cache-control': expect.stringContaining('no-store'), pragma: 'no-cache' }),
  json: {
    schema_version: '1.0.0',
    error: expect.objectContaining({
      code,
      ...(pointer === undefined ? {} : { details: [expect.objectContaining({ pointer })] }),
    }),
  },
})
