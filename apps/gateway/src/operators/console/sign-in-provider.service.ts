import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { FinishSignIn, SignInWay } from '@connectivity/contracts/sign-in'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { isThisMachine } from '@connectivity/service-kit/text'
import * as openid from 'openid-client'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'

/** Time for an answer of the provider, seconds. */
const TIMEOUT = 5
/** Time for which the provider's metadata is kept, ms. */
const KNOWN_FOR = 3_600_000
const RETRY_AFTER = 5

type Config = Pick<GatewayConfig, 'OPERATOR_OIDC_ISSUER' | 'OPERATOR_OIDC_CLIENT_ID' | 'OPERATOR_OIDC_SCOPE'>

/**
 * The operators' identity provider (OpenID Connect, authorization code with PKCE). The browser goes to its page; the
 * gateway exchanges the code, so that the console asks no other origin than its own.
 */
@Injectable()
export class SignInProvider {
  private known: { provider: Promise<openid.Configuration>; until: number } | null = null

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @throws ServiceError 503 `service_unavailable` while the provider does not answer */
  async way(): Promise<SignInWay> {
    if (this.config.OPERATOR_OIDC_ISSUER === '')
      return { method: 'token', authorization_endpoint: null, client_id: null, scope: null }
    const provider = await this.asked(this.provider())
    const { authorization_endpoint = null } = provider.serverMetadata()
    const { OPERATOR_OIDC_CLIENT_ID: client_id, OPERATOR_OIDC_SCOPE: scope } = this.config
    return { method: 'oidc', authorization_endpoint, client_id, scope }
  }

  /**
   * Exchanges the code in the address for an access token; the gateway checks that only when it is used.
   * @throws ServiceError 400 when the provider refuses, 404 when none is configured, 503 while it does not answer
   */
  async tokenFor(address: URL, { state, code_verifier }: FinishSignIn): Promise<string> {
    if (this.config.OPERATOR_OIDC_ISSUER === '')
      throw new ServiceError('not_found', 'No identity provider is configured; sign in with an operator token.')
    const checks = { expectedState: state, pkceCodeVerifier: code_verifier }
    const exchange = async () => openid.authorizationCodeGrant(await this.provider(), address, checks)
    return (await this.asked(exchange())).access_token
  }

  private provider(): Promise<openid.Configuration> {
    if (this.known && this.known.until > Date.now()) return this.known.provider
    const provider = this.discover()
    this.known = { provider, until: Date.now() + KNOWN_FOR }
    provider.catch(() => (this.known = null))
    return provider
  }

  private discover(): Promise<openid.Configuration> {
    const { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_CLIENT_ID: client } = this.config
    const execute = isThisMachine(issuer) ? [openid.allowInsecureRequests] : []
    return openid.discovery(new URL(issuer), client, undefined, openid.None(), { execute, timeout: TIMEOUT })
  }

  private async asked<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (err) {
      const refused = refusalOf(err)
      if (refused !== null) throw refused
      this.log.warn({ err }, "the operators' identity provider does not answer")
      const message = 'The identity provider does not answer; try again.'
      throw new ServiceError('service_unavailable', message, { retryAfterSeconds: RETRY_AFTER })
    }
  }
}

/** The refusal for an error that the provider reported or an answer that is not ours; null for any other failure. */
function refusalOf(err: unknown): ServiceError | null {
  const isRefusal = err instanceof openid.AuthorizationResponseError || err instanceof openid.ResponseBodyError
  if (isRefusal && !PASSING.has(err.error)) return refusal(`refused this sign-in (${err.error})`)
  if (err instanceof openid.ClientError && err.code === OTHER_ANSWER)
    return refusal('sent an answer that does not belong to this sign-in')
  return null
}

/** openid-client's code for an answer with an unexpected `state` or issuer. */
const OTHER_ANSWER = 'OAUTH_INVALID_RESPONSE'
/** OAuth error codes of a provider that cannot answer at the moment. */
const PASSING = new Set(['server_error', 'temporarily_unavailable'])
const refusal = (what: string): ServiceError =>
  new ServiceError('invalid_request', `The identity provider ${what}; sign in again.`)
