import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { LiveCache } from '@connectivity/database/notifications'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { verifyRequest } from '@connectivity/signing'
import { LiveCredentials } from '../../live/live-credentials.service.js'
import {
  earliest,
  type LiveCredential,
  liveSecrets,
  ownLiveSecrets,
  passingSecret,
} from '../../live/live-credential.js'
import { hashOf, isToken } from '../../live/access-token.js'
import { FailedAuthentications } from '../limits/failed-authentications.service.js'
import { KeyIdTags } from '../../live/key-id-tags.service.js'
import { LivePortalSessions } from '../../live/live-portal-sessions.service.js'
import { LiveTokens } from '../../live/live-tokens.service.js'
import { invalidToken, readCredentialHeaders, refuseOtherProof } from './credential-headers.js'
import { MOST_KEPT_OF_STRANGERS } from '../../http/requests/body-budgets.service.js'
import { ownAddress } from '../../http/requests/own-address.js'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import type { RawBodies } from '../../http/requests/raw-body.service.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { endedCookie, portalHash, readPortalCookie } from './portal-cookie.js'
import { canonicalOf } from './canonical-request.js'
import { checkSameOrigin } from './same-origin.js'
import { checkWindow, type SignatureHeaders } from './signature-headers.js'
import { SignatureMismatch } from './signature-mismatch.js'

/** A caller's credential, and until when it proves the caller. */
interface Proven {
  /** The caller's credential, with the scopes of the token if it used one. */
  credential: LiveCredential
  /** Time at which credential, secret, token or session expires, ms since the epoch; Infinity if none does. */
  validUntil: number
}

/** Result of a successful authentication. */
export interface Authenticated extends Proven {
  /** The client's timestamp, Unix seconds; null for a bearer token and a session. */
  timestamp: number | null
  /** The signature as sent, 64 hex digits of either case; null for a bearer token and a session. */
  signature: string | null
}

/** Reads requests' bodies once their claimed senders are known. */
type BodyReader = Pick<RawBodies, 'read'>

/** Result of a lookup: null if nothing was found, undefined if the address has failed too often to get a lookup. */
type Found<T> = T | null | undefined

/** Copies of database rows in memory. */
type LiveCopies<T> = Pick<LiveCache<T>, 'peek' | 'remembers' | 'get'>

/**
 * Identifies the sender of a request by signature, token or session of the portal. Fails closed.
 *
 * Headers, window and token are checked before the body is read. The existence of a key id is not: an early refusal
 * would reveal it. A body under an invented key id is read and hashed like any other, but not kept if it is long, and
 * gets the same refusal after the same work.
 */
@Injectable()
export class Authentication {
  constructor(
    private readonly credentials: LiveCredentials,
    private readonly tokens: LiveTokens,
    private readonly sessions: LivePortalSessions,
    private readonly tags: KeyIdTags,
    private readonly failures: FailedAuthentications,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'PUBLIC_URL'>,
  ) {}

  /**
   * @throws ServiceError 401 `invalid_signature` or `invalid_token`, 429 when the address has failed too often, 503
   * when credentials cannot be read; what `bodies` throws
   */
  async authenticate(partner: PartnerRequest, bodies: BodyReader): Promise<Authenticated> {
    const cookie = this.cookieOf(partner)
    if (cookie !== null) return aroundBody(partner, bodies, () => this.session(cookie, partner))
    const headers = readCredentialHeaders(partner.http.raw.rawHeaders)
    return 'token' in headers
      ? aroundBody(partner, bodies, () => this.bearer(headers.token, partner))
      : this.bySignature(headers, partner, bodies)
  }

  /**
   * Authenticates an admitted request again, without the timestamp window, which may have passed.
   * @throws ServiceError as `authenticate` does, when the credential has ended
   */
  async again(partner: PartnerRequest): Promise<Proven> {
    const cookie = this.cookieOf(partner)
    if (cookie !== null) return this.session(cookie, partner)
    const headers = readCredentialHeaders(partner.http.raw.rawHeaders)
    if ('token' in headers) return this.bearer(headers.token, partner)
    return this.verified(await this.find(headers.keyId, partner), headers, partner)
  }

  /**
   * Returns the credential with this key or client id, of either type.
   * @throws ServiceError 503 when it cannot be read, 429 when the address has failed too often for a lookup
   */
  async credential(keyId: string, partner: PartnerRequest): Promise<LiveCredential | null> {
    const found = await this.find(keyId, partner)
    if (found === undefined) throw this.failures.refusal(partner.address)
    return found
  }

  private async bySignature(headers: SignatureHeaders, partner: PartnerRequest, bodies: BodyReader) {
    const { keyId, timestamp, signature } = headers
    checkWindow(timestamp, Date.now())
    let credential = await this.find(keyId, partner)
    if (partner.body.isAnnounced) {
      const mostKept = credential?.type === 'signing' ? Infinity : MOST_KEPT_OF_STRANGERS
      await bodies.read(partner, { credential: keyId, mostKept })
      // Check again: a body may take 30 s, signature bindings last only until the window's end, and credentials can
      // end.
      checkWindow(timestamp, Date.now())
      if (credential) credential = await this.find(keyId, partner)
    }
    return { ...this.verified(credential, headers, partner), timestamp: Number(timestamp), signature }
  }

  /** @throws ServiceError 401 unless the signature was made with a live secret of the credential */
  private verified(
    credential: Found<LiveCredential>,
    { timestamp, signature }: SignatureHeaders,
    { method, target, address, body }: PartnerRequest,
  ): Proven {
    const signed = canonicalOf({ method, target, timestamp, bodyHash: body.hash })
    const secrets = liveSecrets(credential ?? null, 'signing', Date.now())
    const passing = passingSecret(secrets, (key) => verifyRequest(key, signed, signature))
    if (passing && credential) return { credential, validUntil: earliest(credential.expiresAt, passing.endsAt) }
    if (credential === undefined) throw this.failures.refusal(address)
    throw new SignatureMismatch(credential, signature, timestamp)
  }

  private async bearer(text: string, partner: PartnerRequest): Promise<Authenticated> {
    const holder = isToken('access', text) ? await this.tokenHolder(text, partner) : null
    if (!holder) throw deadToken()
    return { ...holder, timestamp: null, signature: null }
  }

  /**
   * The credential behind an access token, with the token's scopes; null when the token, the secret it was obtained
   * with, the credential or its application has ended.
   * @throws ServiceError 503 when it cannot be read, 429 when the address has failed too often for a lookup
   */
  async tokenHolder(text: string, partner: PartnerRequest): Promise<Proven | null> {
    const isOurs = () => this.tags.isOurToken(text)
    const token = await this.foundIn(this.tokens, hashOf(text).toString('base64url'), partner, isOurs)
    if (token === undefined) throw this.failures.refusal(partner.address)
    const now = Date.now()
    if (!token || token.expiresAt.getTime() <= now) return null
    const { clientId } = token
    const credential = this.credentials.peek(clientId) ?? (await this.read(() => this.credentials.get(clientId)))
    partner.facts.keyId = clientId
    const obtainedWith = token.secretCreatedAt.getTime()
    const secret = ownLiveSecrets(credential, now).find(({ createdAt }) => createdAt.getTime() === obtainedWith)
    if (!credential || !secret) return null
    const validUntil = earliest(token.expiresAt, credential.expiresAt, secret.endsAt)
    return { credential: { ...credential, scopes: token.scopes }, validUntil }
  }

  /**
   * The cookie of a browser in the portal; null for any other client.
   * @throws ServiceError 401 if the request carries another proof as well, 403 `cross_site_request`
   */
  private cookieOf(partner: PartnerRequest): string | null {
    // Programs poll often and send no cookie.
    if (partner.http.headers.cookie === undefined) return null
    const { rawHeaders } = partner.http.raw
    const own = ownAddress(partner.http, this.config.PUBLIC_URL)
    const cookie = readPortalCookie(rawHeaders, own)
    if (cookie === null) return null
    refuseOtherProof(rawHeaders)
    checkSameOrigin(partner, own)
    return cookie
  }

  private async session(cookie: string, partner: PartnerRequest): Promise<Authenticated> {
    const hash = portalHash(cookie)?.toString('base64url')
    const isOurs = () => this.tags.isOurSecret(cookie)
    const credential = hash === undefined ? null : await this.foundIn(this.sessions, hash, partner, isOurs)
    if (credential === undefined) throw this.failures.refusal(partner.address)
    const validUntil = earliest(credential?.expiresAt ?? null)
    if (credential && validUntil > Date.now()) return { credential, validUntil, timestamp: null, signature: null }
    const ended = invalidToken('Your session has ended; ask operations for a new link.')
    ended.headers['set-cookie'] = endedCookie(ownAddress(partner.http, this.config.PUBLIC_URL))
    throw ended
  }

  private async find(keyId: string, partner: PartnerRequest): Promise<Found<LiveCredential>> {
    const found = await this.foundIn(this.credentials, keyId, partner, () => this.tags.isOurId(keyId))
    if (found) partner.facts.keyId = found.keyId
    return found
  }

  /**
   * Looks in memory first. A key that was never found is looked up at the rate that its address has left.
   * @param isOurs whether the key carries our tag
   */
  private async foundIn<T>(
    live: LiveCopies<T>,
    key: string,
    partner: PartnerRequest,
    isOurs: () => boolean,
  ): Promise<Found<T>> {
    const known = live.peek(key)
    if (known !== undefined) return known
    const load = () => this.read(() => live.get(key))
    return live.remembers(key) ? load() : this.failures.lookUp(partner.address, load, isOurs())
  }

  private async read<T>(load: () => Promise<T>): Promise<T> {
    try {
      return await load()
    } catch (err) {
      this.log.error({ err }, 'credentials could not be read')
      throw admissionUnavailable()
    }
  }
}

/** 401 for a malformed, unknown, expired or ended token alike: a retry helps with none of them. */
const deadToken = (): ServiceError =>
  invalidToken('The access token is unknown or has ended; obtain a new one at POST /oauth/token.')

/** 503 when admission cannot decide, for example because the database is unavailable. */
export const admissionUnavailable = (): ServiceError =>
  new ServiceError('service_unavailable', 'The service is briefly unavailable; try again with back-off.', {
    retryAfterSeconds: 2,
  })

/** Authenticates before and after the body is read: reading may take 30 s, and the credential may end in that time. */
async function aroundBody(
  partner: PartnerRequest,
  bodies: BodyReader,
  identify: () => Promise<Authenticated>,
): Promise<Authenticated> {
  const before = await identify()
  if (!partner.body.isAnnounced) return before
  await bodies.read(partner, { credential: before.credential.credentialId, mostKept: Infinity })
  return identify()
}
