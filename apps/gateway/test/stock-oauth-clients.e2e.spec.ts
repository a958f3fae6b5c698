import { BASE_PATH, TOKEN_PATH } from '@connectivity/contracts/partner-api'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner } from './oauth-client.js'

describe('a stock OAuth client', () => {
  const gateway = new GatewayUnderTest()
  let partner: OAuthPartner
  let page: string
  let tokenEndpoint: string

  beforeAll(async () => {
    await gateway.start()
    const connection = await gateway.pilotConnection(await gateway.approvedApplication())
    partner = await OAuthPartner.issued(gateway, connection)
    page = `${gateway.publicOrigin}${BASE_PATH}/reservations?property_id=${connection}`
    tokenEndpoint = gateway.publicOrigin + BASE_PATH + TOKEN_PATH
  })
  afterAll(() => gateway.stop())

  describe.each([
    ['client_secret_post', oauth.ClientSecretPost, openid.ClientSecretPost],
    ['client_secret_basic', oauth.ClientSecretBasic, openid.ClientSecretBasic],
  ] as const)('with %s', (_method, ofOauth4webapi, ofOpenidClient) => {
    it('obtains a token that admits it: oauth4webapi', async () => {
      const server: oauth.AuthorizationServer = { issuer: gateway.publicOrigin, token_endpoint: tokenEndpoint }
      const client: oauth.Client = { client_id: partner.client.client_id }
      const http = { [oauth.allowInsecureRequests]: true }
      const response = await oauth.clientCredentialsGrantRequest(
        server,
        client,
        ofOauth4webapi(partner.client.client_secret),
        new URLSearchParams({ scope: 'reservations:read' }),
        http,
      )
      const { access_token, token_type, expires_in, scope } = await oauth.processClientCredentialsResponse(
        server,
        client,
        response,
      )
      expect({ token_type, expires_in, scope }).toEqual({
        token_type: 'bearer',
        expires_in: 3600,
        scope: 'reservations:read',
      })
      const answer = await oauth.protectedResourceRequest(
        access_token,
        'GET',
        new URL(page),
        undefined,
        undefined,
        http,
      )
      expect(answer.status).toBe(200)
    })

    it('obtains a token that admits it: openid-client', async () => {
      const { client_id, client_secret } = partner.client
      const server = { issuer: gateway.publicOrigin, token_endpoint: tokenEndpoint }
      const config = new openid.Configuration(server, client_id, {}, ofOpenidClient(client_secret))
      openid.allowInsecureRequests(config)
      const tokens = await openid.clientCredentialsGrant(config)
      expect(tokens.expiresIn()).toBeGreaterThan(3_590)
      const answer = await openid.fetchProtectedResource(config, tokens.access_token, new URL(page), 'GET')
      expect(answer.status).toBe(200)
    })
  })

  it('reads the challenge for an invalid token', async () => {
    const asked = oauth.protectedResourceRequest('cat_none', 'GET', new URL(page), undefined, undefined, {
      [oauth.allowInsecureRequests]: true,
    })
    await expect(asked).rejects.toMatchObject({
      code: oauth.WWW_AUTHENTICATE_CHALLENGE,
      status: 401,
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
    })
  })
})
