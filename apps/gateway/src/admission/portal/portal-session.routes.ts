import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { PORTAL_SESSION_PATH, type PortalSession, PortalSignIn } from '@connectivity/contracts/portal'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { checkJsonMediaType, parseStrictJson, readBody } from '@connectivity/service-kit/http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { ownAddress } from '../../http/requests/own-address.js'
import { type PartnerRequest, partnerRequestOf } from '../../http/requests/partner-request.js'
import { leaveBodiesToAdmission } from '../../http/requests/leave-bodies.js'
import type { LiveCredential } from '../../live/live-credential.js'
import { Authentication } from '../authentication/authentication.service.js'
import { AuthenticationOutcomes } from '../authentication/authentication-outcomes.service.js'
import { invalidToken } from '../authentication/credential-headers.js'
import { RequestLimits } from '../limits/request-limits.service.js'
import { endedCookie, portalCookie } from '../authentication/portal-cookie.js'
import { checkSameOrigin } from '../authentication/same-origin.js'
import { PortalSessions } from './portal-sessions.service.js'

const PATH = BASE_PATH + PORTAL_SESSION_PATH
/** Admission has read the body of the open call. */
const BODY_IS_READ = { read: async () => undefined }

/** POST and DELETE /portal/session: signs a person in by a portal link, and out. */
@Injectable()
export class PortalSessionRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly sessions: PortalSessions,
    private readonly authentication: Authentication,
    private readonly outcomes: AuthenticationOutcomes,
    private readonly limits: RequestLimits,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'PUBLIC_URL' | 'PORTAL_SESSION_HOURS'>,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    void fastify.register(async (routes) => {
      leaveBodiesToAdmission(routes)
      routes.post(PATH, (request, reply) => this.signIn(partnerRequestOf(request), reply))
      routes.delete(PATH, (request, reply) => this.signOut(partnerRequestOf(request), reply))
    })
  }

  /** @throws ServiceError 400, 401 `invalid_token`, 403 `cross_site_request`, 415, 429, 503 */
  private async signIn(partner: PartnerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const own = ownAddress(partner.http, this.config.PUBLIC_URL)
    checkSameOrigin(partner, own)
    checkJsonMediaType(partner.http.headers, partner.http.raw.rawHeaders)
    const { token } = readBody(PortalSignIn, parseStrictJson(partner.body.bytes))
    const { credential, secret } = await this.sessions.begin(partner, token)
    await this.limits.admit(partner, credential, null)
    const cookie = portalCookie(own, secret, this.config.PORTAL_SESSION_HOURS)
    return reply.status(201).header('set-cookie', cookie).send(presentSession(credential))
  }

  /** @throws ServiceError 401 without a live session, 403 `cross_site_request` */
  private async signOut(partner: PartnerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { credential } = await this.outcomes.recognise(partner, () =>
      this.authentication.authenticate(partner, BODY_IS_READ),
    )
    if (!credential.person) throw invalidToken('This is not a session of the portal; there is nothing to sign out of.')
    await this.limits.admit(partner, credential, null)
    await this.sessions.end(credential.credentialId)
    return reply
      .status(204)
      .header('set-cookie', endedCookie(ownAddress(partner.http, this.config.PUBLIC_URL)))
      .send()
  }
}

const presentSession = ({ person, expiresAt }: LiveCredential): PortalSession => ({
  schema_version: SCHEMA_VERSION,
  email: person!.email,
  role: person!.role,
  expires_at: expiresAt!.toISOString(),
})
