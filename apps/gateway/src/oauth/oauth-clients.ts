import { createHash, timingSafeEqual } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { anyPasses, type LiveCredential, liveKeys } from '../credentials/live-credentials.js'
import { Authentication } from '../door/authentication.js'
import { type ClientCredentials, invalidClient } from './client-credentials.js'

/** Form of our ids; anything else is no client, without asking the database. */
const CLIENT_ID = /^[A-Za-z0-9_.~-]{1,128}$/

/** Finds out which client asks for a token. Fails closed. */
@Injectable()
export class OAuthClients {
  constructor(private readonly authentication: Authentication) {}

  /** @throws ServiceError 401 `invalid_client`; 503 when clients cannot be read */
  async authenticate({ clientId, clientSecret }: ClientCredentials): Promise<LiveCredential> {
    const client = CLIENT_ID.test(clientId) ? await this.authentication.credential(clientId) : null
    const given = createHash('sha256').update(clientSecret).digest()
    const keys = liveKeys(client, 'oauth', Date.now())
    if (!anyPasses(keys, (key) => timingSafeEqual(key.export(), given)) || !client) throw invalidClient()
    return client
  }
}
