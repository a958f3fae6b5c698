import { hash, timingSafeEqual } from 'node:crypto'
import { HttpStatus, Injectable } from '@nestjs/common'
import type { ServiceError } from '@connectivity/contracts/errors'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import {
  isKeyId,
  type LiveCredential,
  type LiveSecret,
  liveSecrets,
  passingSecret,
} from '../../live/live-credential.js'
import { Authentication } from '../authentication/authentication.service.js'
import { AuthenticationOutcomes } from '../authentication/authentication-outcomes.service.js'
import { noteDenial } from '../authentication/denial-record.js'
import { type ClientCredentials, invalidClient, readClientCredentials } from './client-credentials.js'
import type { TokenParameters } from './token-request.js'

/** An authenticated client and the secret that it used. */
export interface RecognisedClient {
  credential: LiveCredential
  secret: LiveSecret
}

const SERVERS_FAULT = 500

/** Whether a refusal counts as a failure: an unreadable request counts as much as a wrong secret. */
const isClientsFault = ({ status }: ServiceError): boolean =>
  status < SERVERS_FAULT && status !== HttpStatus.TOO_MANY_REQUESTS

/** Authenticates the client that requests a token. Fails closed. */
@Injectable()
export class OAuthClients {
  constructor(
    private readonly authentication: Authentication,
    private readonly outcomes: AuthenticationOutcomes,
  ) {}

  /**
   * Authenticates the client by HTTP basic or by parameters. Every failure counts against its address.
   * @param read reads the parameters
   * @throws ServiceError 401 `invalid_client`, 429; 503 when clients cannot be read; what `read` throws
   */
  async recognise(
    partner: PartnerRequest,
    read: () => TokenParameters,
  ): Promise<RecognisedClient & { parameters: TokenParameters }> {
    const authenticate = async () => {
      const parameters = read()
      noteClaimedClient(partner, parameters.client_id)
      const credentials = readClientCredentials(partner.http.raw.rawHeaders, parameters)
      noteClaimedClient(partner, credentials.clientId)
      return { ...(await this.authenticate(credentials, partner)), parameters }
    }
    try {
      return await this.outcomes.recognise(partner, authenticate, isClientsFault)
    } catch (error) {
      noteDenial(partner, error)
      throw error
    }
  }

  private async authenticate(
    { clientId, clientSecret }: ClientCredentials,
    partner: PartnerRequest,
  ): Promise<RecognisedClient> {
    const client = isKeyId(clientId) ? await this.authentication.credential(clientId, partner) : null
    const given = hash('sha256', clientSecret, 'buffer')
    const secrets = liveSecrets(client, 'oauth', Date.now())
    const secret = passingSecret(secrets, (key) => timingSafeEqual(key.export(), given))
    if (!secret || !client) throw invalidClient()
    return { credential: client, secret }
  }
}

/** Notes the client that a token request names, for the log: its refusal may need no lookup. */
function noteClaimedClient({ facts }: PartnerRequest, clientId: string | undefined): void {
  if (clientId !== undefined && isKeyId(clientId)) facts.claimedClientId = clientId
}
