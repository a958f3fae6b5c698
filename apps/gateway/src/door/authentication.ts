import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { pathOf } from '@connectivity/contracts/request-target'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { verifyRequest } from '@connectivity/signing/canonical-request'
import type { FastifyRequest } from 'fastify'
import { type LiveCredential, LiveCredentials, liveSecrets, passingSecret } from '../credentials/live-credentials.js'
import { hashOf, isAccessToken } from '../oauth/access-token.js'
import type { LiveToken } from '../oauth/access-token.store.js'
import { LiveTokens } from '../oauth/live-tokens.js'
import { rawBodyHash } from './body-hash.js'
import { invalidToken, readCredentialHeaders } from './credential-headers.js'
import { checkWindow, type SignatureHeaders, signatureMismatch } from './signature-headers.js'

/** What authentication proves. */
export interface Authenticated {
  /** With the scopes of the token, where one was used. */
  credential: LiveCredential
  /** The client's timestamp, Unix seconds; null of a bearer. */
  timestamp: number | null
  /** As sent, 64 hex digits of either case; null of a bearer. */
  signature: string | null
}

/** Finds out who sends a request, by signature or token (spec.md "Authentication"). Fails closed. */
@Injectable()
export class Authentication {
  constructor(
    private readonly credentials: LiveCredentials,
    private readonly tokens: LiveTokens,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * @throws ServiceError 401 `invalid_signature` or `invalid_token`; 503 when credentials cannot be read
   */
  async authenticate(request: FastifyRequest): Promise<Authenticated> {
    const headers = readCredentialHeaders(request.raw.rawHeaders)
    return 'token' in headers ? this.byToken(headers.token) : this.bySignature(headers, request)
  }

  /**
   * The credential with this key or client id, whatever its type.
   * @throws ServiceError 503 when it cannot be read
   */
  async credential(keyId: string): Promise<LiveCredential | null> {
    const known = this.credentials.peek(keyId)
    return known === undefined ? this.read(() => this.credentials.get(keyId)) : known
  }

  private async bySignature(headers: SignatureHeaders, request: FastifyRequest): Promise<Authenticated> {
    const { keyId, timestamp, signature } = headers
    const now = Date.now()
    checkWindow(timestamp, now)
    const known = this.credentials.peek(keyId)
    const credential = known === undefined ? await this.credential(keyId) : known
    const signed = {
      method: request.method,
      path: pathOf(request.originalUrl),
      timestamp,
      bodyHash: rawBodyHash(request),
    }
    const secrets = liveSecrets(credential, 'signing', now)
    if (!passingSecret(secrets, (key) => verifyRequest(key, signed, signature)) || !credential)
      throw signatureMismatch()
    return { credential, timestamp: Number(timestamp), signature }
  }

  private async byToken(text: string): Promise<Authenticated> {
    const token = isAccessToken(text) ? await this.token(text) : null
    const now = Date.now()
    if (!token || token.expiresAt.getTime() <= now) throw deadToken()
    const client = this.credentials.peek(token.clientId) ?? (await this.credential(token.clientId))
    const obtainedWith = token.secretCreatedAt.getTime()
    const isAlive = liveSecrets(client, 'oauth', now).some(({ createdAt }) => createdAt.getTime() === obtainedWith)
    if (!client || !isAlive) throw deadToken()
    return { credential: { ...client, scopes: token.scopes }, timestamp: null, signature: null }
  }

  private async token(text: string): Promise<LiveToken | null> {
    const hash = hashOf(text).toString('base64url')
    return this.tokens.peek(hash) ?? (await this.read(() => this.tokens.get(hash)))
  }

  private async read<T>(load: () => Promise<T>): Promise<T> {
    try {
      return await load()
    } catch (err) {
      this.log.error({ err }, 'credentials could not be read')
      throw unavailable()
    }
  }
}

/** One answer for a token that is malformed, unknown, expired or ended: none of them is worth a retry. */
const deadToken = (): ServiceError =>
  invalidToken('The access token is not valid or no longer; obtain a new one at POST /oauth/token.')

/** 503 for whatever keeps the door from deciding. */
export const unavailable = (): ServiceError =>
  new ServiceError('service_unavailable', 'The service is briefly unavailable; try again with back-off.', {
    retryAfterSeconds: 2,
  })
