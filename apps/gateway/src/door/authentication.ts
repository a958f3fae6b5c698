import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { bodyHash, verifyRequest } from '@connectivity/signing/canonical-request'
import type { FastifyRequest } from 'fastify'
import { type LiveCredential, LiveCredentials, liveKeys } from '../credentials/live-credentials.js'
import { hashOf, isAccessToken } from '../oauth/access-token.js'
import { LiveTokens } from '../oauth/live-tokens.js'
import { invalidToken, readCredentialHeaders } from './credential-headers.js'
import { pathOf } from './partner-route.js'
import { checkWindow, type SignatureHeaders, signatureMismatch } from './signature-headers.js'

/** What authentication proves. */
export interface Authenticated {
  /** With the scopes of the token, where one was used. */
  credential: LiveCredential
  /** The client's timestamp, Unix seconds; null of a bearer. */
  timestamp: number | null
}

/** Stands in for the key of a credential that does not exist, so that the refusal takes as long. */
const NOBODY: readonly KeyObject[] = [createSecretKey(randomBytes(32))]

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
    return this.credentials.peek(keyId) ?? (await this.read(() => this.credentials.get(keyId)))
  }

  private async bySignature(headers: SignatureHeaders, request: FastifyRequest): Promise<Authenticated> {
    const { keyId, timestamp, signature } = headers
    const now = Date.now()
    checkWindow(timestamp, Math.floor(now / 1000))
    const found = this.credentials.peek(keyId) ?? (await this.credential(keyId))
    const credential = found?.type === 'signing' ? found : null
    const signed = {
      method: request.method,
      path: pathOf(request.originalUrl),
      timestamp,
      bodyHash: bodyHash(request.rawBody),
    }
    const keys = credential ? liveKeys(credential, now) : []
    const matches = (keys.length > 0 ? keys : NOBODY).filter((key) => verifyRequest(key, signed, signature))
    if (!credential || keys.length === 0 || matches.length === 0) throw signatureMismatch()
    return { credential, timestamp: Number(timestamp) }
  }

  private async byToken(text: string): Promise<Authenticated> {
    if (!isAccessToken(text)) throw deadToken()
    const hash = hashOf(text).toString('base64url')
    const token = this.tokens.peek(hash) ?? (await this.read(() => this.tokens.get(hash)))
    if (!token) throw deadToken()
    const now = Date.now()
    const client = this.credentials.peek(token.clientId) ?? (await this.credential(token.clientId))
    const isLive = client?.type === 'oauth' && token.expiresAt.getTime() > now && liveKeys(client, now).length > 0
    if (!isLive) throw deadToken()
    return { credential: { ...client, scopes: token.scopes }, timestamp: null }
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
