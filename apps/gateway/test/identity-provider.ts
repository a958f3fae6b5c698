import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { AUDIENCE } from './gateway-under-test.js'

const ALGORITHM = 'RS256' as const
const TOKEN_SECONDS = 3_600

/** The operators' identity provider: OpenID Connect with a page for the sign-in, JWTs as access tokens. */
export class IdentityProvider {
  private readonly server: Server
  private answer: RequestListener = (_request, response) => response.writeHead(503).end()
  /** Requested paths. */
  readonly asked: string[] = []

  constructor() {
    this.server = createServer((request: IncomingMessage, response: ServerResponse) => {
      this.asked.push(request.url!.split('?')[0]!)
      void this.answer(request, response)
    })
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Opens the listener; answers 503 until `serve` is called. */
  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
  }

  /**
   * Begins to serve, with the console as a public client.
   * @param redirectAddress the only address to which it sends browsers back
   */
  async serve(redirectAddress: string): Promise<void> {
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
    const key = { ...(await exportJWK(privateKey)), kid: 'k', alg: ALGORITHM, use: 'sig' }
    const client = {
      client_id: 'connectivity-console',
      redirect_uris: [redirectAddress],
      token_endpoint_auth_method: 'none' as const,
    }
    const resource = {
      scope: '',
      audience: AUDIENCE,
      accessTokenFormat: 'jwt' as const,
      accessTokenTTL: TOKEN_SECONDS,
      jwt: { sign: { alg: ALGORITHM } },
    }
    const provider = new Provider(this.issuer, {
      clients: [client],
      cookies: { keys: ['test'] },
      jwks: { keys: [key as never] },
      findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
      extraTokenClaims: () => ({ roles: ['connectivity:operate'] }),
      features: {
        resourceIndicators: {
          enabled: true,
          defaultResource: () => 'https://operators.test',
          useGrantedResource: () => true,
          getResourceServerInfo: () => resource,
        },
      },
    })
    this.answer = provider.callback() as RequestListener
  }

  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}
