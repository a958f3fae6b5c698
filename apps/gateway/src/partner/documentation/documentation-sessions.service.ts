import { hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { isThisMachine } from '@connectivity/service-kit/text'
import { Authentication } from '../../admission/authentication/authentication.service.js'
import { AuthenticationOutcomes } from '../../admission/authentication/authentication-outcomes.service.js'
import { AccessTokenStore } from '../../admission/oauth/access-token.store.js'
import { isOwnOrigin } from '../../admission/oauth/cross-site.js'
import { noteDenial } from '../../admission/authentication/denial-record.js'
import { DOCS_PATH } from '../../http/pages/page-paths.js'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import { hashOf, isToken } from '../../live/access-token.js'
import { KeyIdTags } from '../../live/key-id-tags.service.js'
import { isKeyId, type LiveCredential, ownLiveSecrets, passingSecret } from '../../live/live-credential.js'
import type { SignIn } from './sign-in-form.js'

const COOKIE = 'docs_session'
const LIFETIME_SECONDS = 8 * 60 * 60

/**
 * Sessions of readers of the documentation: tokens of a kind of their own, stored as access tokens are. So every
 * replica knows them, and they end with the secret they were obtained with, its credential and its application.
 */
@Injectable()
export class DocumentationSessions {
  constructor(
    private readonly authentication: Authentication,
    private readonly outcomes: AuthenticationOutcomes,
    private readonly tokens: AccessTokenStore,
    private readonly tags: KeyIdTags,
  ) {}

  /**
   * The credential of the reader who is signed in; null without a session.
   * @throws ServiceError 401 `invalid_token` for a session that has ended or never was, 429, 503
   */
  async readerOf(partner: PartnerRequest): Promise<LiveCredential | null> {
    const text = cookieOf(partner)
    if (text === null) return null
    return this.outcomes
      .recognise(partner, async () => {
        const holder = isToken('documentation', text) ? await this.authentication.tokenHolder(text, partner) : null
        if (!holder) throw ended()
        return holder
      })
      .then(({ credential }) => credential)
  }

  /**
   * Begins a session for the holder of a signing key or an OAuth client.
   * @returns the cookie that carries it
   * @throws ServiceError 401 `invalid_client`, 429, 503
   */
  async begin(partner: PartnerRequest, given: Pick<SignIn, 'id' | 'secret'>): Promise<string> {
    try {
      const { token } = await this.outcomes.recognise(partner, () => this.signIn(partner, given))
      return cookie(partner, token, LIFETIME_SECONDS)
    } catch (error) {
      noteDenial(partner, error)
      throw error
    }
  }

  private async signIn(partner: PartnerRequest, { id, secret }: Pick<SignIn, 'id' | 'secret'>) {
    const credential = isKeyId(id) ? await this.authentication.credential(id, partner) : null
    const found = passingSecret(ownLiveSecrets(credential, Date.now()), (key) => isSecret(secret, key, credential))
    if (!found || !credential) throw notTogether()
    const token = await this.tags.newToken('documentation')
    const obtainedWith = { credentialId: credential.credentialId, secretCreatedAt: found.createdAt }
    const expiresAt = new Date(Date.now() + LIFETIME_SECONDS * 1_000)
    if (!(await this.tokens.issue(hashOf(token), obtainedWith, [], expiresAt))) throw notTogether()
    return { credential, token }
  }
}

/** Compares hashes, which have one length; of a client secret the SHA-256 alone is known. */
function isSecret(given: string, key: KeyObject, credential: LiveCredential | null): boolean {
  const known = key.export()
  const expected = credential?.type === 'oauth' ? known : hash('sha256', known, 'buffer')
  return timingSafeEqual(expected, hash('sha256', given, 'buffer'))
}

/** The cookie's value; null without one. */
function cookieOf({ http }: PartnerRequest): string | null {
  const found = (http.headers.cookie ?? '').split(';').find((part) => part.trim().startsWith(`${COOKIE}=`))
  return found?.trim().slice(COOKIE.length + 1) ?? null
}

/** Browsers accept `Secure` only over TLS; on loopback there is none. */
function cookie({ http }: PartnerRequest, value: string, maxAge: number): string {
  const parts = [`${COOKIE}=${value}`, `Path=${DOCS_PATH}`, `Max-Age=${maxAge}`, 'HttpOnly', 'SameSite=Strict']
  return [...parts, ...(isThisMachine(http.headers.host ?? '') ? [] : ['Secure'])].join('; ')
}

/** The cookie that makes the browser forget its session. */
export const forgottenCookie = (partner: PartnerRequest): string => cookie(partner, '', 0)

/**
 * Refuses sign-ins that a page of another site sends; programs send neither header.
 * @throws ServiceError 403 `cross_site_request`
 */
export function refuseOtherSites({ http: { headers } }: PartnerRequest): void {
  const site = headers['sec-fetch-site']
  if ((site === undefined || site === 'same-origin') && isOwnOrigin(headers.origin, headers.host)) return
  throw new ServiceError('cross_site_request', 'Sign in with the form of the documentation itself.')
}

const ended = (): ServiceError =>
  new ServiceError('invalid_token', `The session has ended; sign in again at ${DOCS_PATH}/sign-in.`)

const notTogether = (): ServiceError =>
  new ServiceError(
    'invalid_client',
    'The id is not known or the secret is not the one that belongs to it. Both are as operations issued them.',
  )
