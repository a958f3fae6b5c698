import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { bodyHash, verifyRequest } from '@connectivity/signing/canonical-request'
import type { FastifyRequest } from 'fastify'
import { type LiveCredential, LiveCredentials } from '../credentials/live-credentials.js'
import { pathOf } from './partner-route.js'
import { checkWindow, readSignatureHeaders, signatureMismatch } from './signature-headers.js'

/** What authentication proves. */
export interface Authenticated {
  credential: LiveCredential
  /** The client's timestamp, Unix seconds. */
  timestamp: number
}

/** Stands in for the key of a credential that does not exist, so that the refusal takes as long. */
const NOBODY: readonly KeyObject[] = [createSecretKey(randomBytes(32))]

/** Finds out who signed a request, spec.md "Signed requests". Fails closed. */
@Injectable()
export class Authentication {
  constructor(
    private readonly credentials: LiveCredentials,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * @throws ServiceError 401 `invalid_signature` or `invalid_token`; 503 when credentials cannot be read
   */
  async authenticate(request: FastifyRequest): Promise<Authenticated> {
    const { keyId, timestamp, signature } = readSignatureHeaders(request.raw.rawHeaders)
    const now = Date.now()
    checkWindow(timestamp, Math.floor(now / 1000))
    const credential = this.credentials.peek(keyId) ?? (await this.read(keyId))
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

  private async read(keyId: string): Promise<LiveCredential | null> {
    try {
      return await this.credentials.get(keyId)
    } catch (err) {
      this.log.error({ err }, 'credential could not be read')
      throw unavailable()
    }
  }
}

/** Keys that may sign now: none of an expired credential, none whose rotation is over. */
function liveKeys({ expiresAt, secrets }: LiveCredential, now: number): KeyObject[] {
  if (expiresAt && expiresAt.getTime() <= now) return []
  return secrets.filter(({ endsAt }) => !endsAt || endsAt.getTime() > now).map(({ key }) => key)
}

/** 503 for whatever keeps the door from deciding. */
export const unavailable = (): ServiceError =>
  new ServiceError('service_unavailable', 'The service is briefly unavailable; try again with back-off.', {
    retryAfterSeconds: 2,
  })
