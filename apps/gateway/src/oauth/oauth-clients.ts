import { createHash, timingSafeEqual } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { anyPasses, type LiveCredential, liveKeys } from '../credentials/live-credentials.js'
import { Authentication } from '../door/authentication.js'
import { Callers } from '../door/callers.js'
import { type ClientCredentials, invalidClient, readClientCredentials } from './client-credentials.js'
import type { TokenParameters } from './token-request.js'

/** Form of our ids; anything else is no client, without asking the database. */
const CLIENT_ID = /^[A-Za-z0-9_.~-]{1,128}$/

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
  async recognise(request: FastifyRequest, parameters: TokenParameters): Promise<LiveCredential> {
    const { credential } = await this.callers.recognise(request, async () => ({
      credential: await this.authenticate(readClientCredentials(request.raw.rawHeaders, parameters)),
    }))
    return credential
  }

  private async authenticate({ clientId, clientSecret }: ClientCredentials): Promise<LiveCredential> {
    const client = CLIENT_ID.test(clientId) ? await this.authentication.credential(clientId) : null
    const given = createHash('sha256').update(clientSecret).digest()
    const keys = liveKeys(client, 'oauth', Date.now())
    if (!anyPasses(keys, (key) => timingSafeEqual(key.export(), given)) || !client) throw invalidClient()
    return client
  }
}
