import { createHash, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { type LiveCredential, liveKeys } from '../credentials/live-credentials.js'
import { Authentication } from '../door/authentication.js'
import { type ClientCredentials, invalidClient } from './client-credentials.js'

/** Form of our ids; anything else is no client, without asking the database. */
const CLIENT_ID = /^[A-Za-z0-9_.~-]{1,128}$/

/** Stands in for the secret of a client that does not exist, so that the refusal takes as long. */
const NOBODY: readonly KeyObject[] = [createSecretKey(randomBytes(32))]

/** Finds out which client asks for a token. Fails closed. */
@Injectable()
export class OAuthClients {
  constructor(private readonly authentication: Authentication) {}

  /** @throws ServiceError 401 `invalid_client`; 503 when clients cannot be read */
  async authenticate({ clientId, clientSecret }: ClientCredentials): Promise<LiveCredential> {
    const found = CLIENT_ID.test(clientId) ? await this.authentication.credential(clientId) : null
    const client = found?.type === 'oauth' ? found : null
    const given = createHash('sha256').update(clientSecret).digest()
    const keys = client ? liveKeys(client, Date.now()) : []
    const matches = (keys.length > 0 ? keys : NOBODY).filter((key) => timingSafeEqual(key.export(), given))
    if (!client || keys.length === 0 || matches.length === 0) throw invalidClient()
    return client
  }
}
