import { createHash, timingSafeEqual } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { type LiveCredential, type LiveSecret, liveSecrets, passingSecret } from '../credentials/live-credentials.js'
import { Authentication } from '../door/authentication.js'
import { Callers } from '../door/callers.js'
import { type ClientCredentials, invalidClient, readClientCredentials } from './client-credentials.js'
import type { TokenParameters } from './token-request.js'

/** Form of our ids; anything else is no client, without asking the database. */
const CLIENT_ID = /^[A-Za-z0-9_.~-]{1,128}$/

/** A client that has proved who it is, and with which of its secrets. */
export interface RecognisedClient {
  credential: LiveCredential
  secret: LiveSecret
}

/** Finds out which client asks for a token. Fails closed. */
@Injectable()
export class OAuthClients {
  constructor(
    private readonly authentication: Authentication,
    private readonly callers: Callers,
  ) {}

  /**
   * The client that sends the request, by HTTP basic or by parameters.
   * @throws ServiceError 401 `invalid_client`, 429; 503 when clients cannot be read
   */
  recognise(request: FastifyRequest, parameters: TokenParameters): Promise<RecognisedClient> {
    return this.callers.recognise(request, async () =>
      this.authenticate(readClientCredentials(request.raw.rawHeaders, parameters)),
    )
  }

  private async authenticate({ clientId, clientSecret }: ClientCredentials): Promise<RecognisedClient> {
    const client = CLIENT_ID.test(clientId) ? await this.authentication.credential(clientId) : null
    const given = createHash('sha256').update(clientSecret).digest()
    const secrets = liveSecrets(client, 'oauth', Date.now())
    const secret = passingSecret(secrets, (key) => timingSafeEqual(key.export(), given))
    if (!secret || !client) throw invalidClient()
    return { credential: client, secret }
  }
}
