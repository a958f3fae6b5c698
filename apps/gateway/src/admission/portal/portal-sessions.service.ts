import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import { KeyIdTags } from '../../live/key-id-tags.service.js'
import type { LiveCredential } from '../../live/live-credential.js'
import { AuthenticationOutcomes } from '../authentication/authentication-outcomes.service.js'
import { invalidToken } from '../authentication/credential-headers.js'
import { portalHash } from '../authentication/portal-cookie.js'
import { PortalSessionStore } from './portal-session.store.js'

/** A session that has begun, with the secret of its cookie. */
interface Begun {
  credential: LiveCredential
  secret: string
}

/** Begins and ends sessions of the portal. */
@Injectable()
export class PortalSessions {
  constructor(
    private readonly database: Database,
    private readonly sessions: PortalSessionStore,
    private readonly tags: KeyIdTags,
    private readonly outcomes: AuthenticationOutcomes,
  ) {}

  /**
   * Uses up the link that holds the token.
   * @throws ServiceError 401 `invalid_token`, 429
   */
  async begin(partner: PartnerRequest, token: string): Promise<Begun> {
    const secret = await this.tags.newSecret()
    const [linkHash, sessionHash] = [portalHash(token), portalHash(secret)!]
    return this.outcomes.recognise(partner, async () => {
      const credential =
        linkHash && (await this.outcomes.lookUp(partner, () => this.sessions.start(linkHash, sessionHash)))
      if (credential) return { credential, secret }
      throw invalidToken('This link is used, expired or ended; ask operations for a new link.')
    })
  }

  /** Ends the session of a link, everywhere within a second. */
  async end(linkId: string): Promise<void> {
    await this.database.transaction((tx) => this.sessions.end(tx, linkId))
  }
}
