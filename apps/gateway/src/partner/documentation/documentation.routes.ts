import { HttpStatus, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { ServiceError } from '@connectivity/contracts/errors'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { pathOf, queryOf } from '@connectivity/contracts/request-target'
import { noteError } from '@connectivity/service-kit/http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PageLimits } from '../../admission/limits/page-limits.service.js'
import { RequestLimits } from '../../admission/limits/request-limits.service.js'
import { DOCS_PATH, SESSION_PATH, SIGN_IN_PATH, wantsPage } from '../../http/pages/page-paths.js'
import { type PartnerRequest, partnerRequestOf } from '../../http/requests/partner-request.js'
import { leaveBodiesToAdmission } from '../../http/requests/leave-bodies.js'
import type { LiveCredential } from '../../live/live-credential.js'
import { send, sendPage } from './documentation-answer.js'
import { Documentation } from './documentation.service.js'
import { DocumentationSessions, forgottenCookie } from './documentation-sessions.service.js'
import { pageAfter, readSignIn, signInPage } from './sign-in-form.js'

/** A reader, and whether the browser must forget a session that has ended. */
interface Reader {
  credential: LiveCredential | null
  hasEnded: boolean
}

/** GET /openapi.json for every credential, the pages at /docs, and the sessions in which the reference is read. */
@Injectable()
export class DocumentationRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly documentation: Documentation,
    private readonly sessions: DocumentationSessions,
    private readonly limits: RequestLimits,
    private readonly pages: PageLimits,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.get(`${BASE_PATH}/openapi.json`, (request, reply) =>
      send(partnerRequestOf(request), reply, this.documentation.description),
    )
    for (const path of [DOCS_PATH, `${DOCS_PATH}/*`]) {
      fastify.get(path, (request, reply) => this.page(partnerRequestOf(request), reply))
    }
    fastify.get(SIGN_IN_PATH, (request, reply) => this.form(request, reply))
    void fastify.register(async (routes) => {
      leaveBodiesToAdmission(routes)
      routes.post(SESSION_PATH, (request, reply) => this.signIn(partnerRequestOf(request), reply))
    })
  }

  private async page(partner: PartnerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const name = pathOf(partner.target).slice(DOCS_PATH.length + 1)
    const { credential, hasEnded } = await this.readerOf(partner)
    this.pages.count(partner, credential?.credentialId)
    if (hasEnded) reply.header('set-cookie', forgottenCookie(partner))
    const isReader = credential !== null
    const forAll = this.documentation.find(name, false)
    const file = isReader ? this.documentation.find(name, true) : forAll
    if (!file) return this.refuse(partner, reply, { name, isReader })
    if (credential && !forAll && !file.isLasting) await this.count(partner, credential)
    return send(partner, reply, file)
  }

  /** Counts a page for signed-in readers as a call too; its other files count only against the limit of pages. */
  private async count(partner: PartnerRequest, { credentialId, limits }: LiveCredential): Promise<void> {
    await this.limits.count(partner, 'reads', credentialId, limits.reads)
  }

  private async readerOf(partner: PartnerRequest): Promise<Reader> {
    try {
      return { credential: await this.sessions.readerOf(partner), hasEnded: false }
    } catch (error) {
      if (error instanceof ServiceError && error.status === HttpStatus.UNAUTHORIZED)
        return { credential: null, hasEnded: true }
      throw error
    }
  }

  /** Sends browsers to the form, or shows them a page; programs get the error. */
  private refuse(
    partner: PartnerRequest,
    reply: FastifyReply,
    { name, isReader }: { name: string; isReader: boolean },
  ): FastifyReply {
    const needsSession = !isReader && this.documentation.find(name, true) !== undefined
    if (!wantsPage(partner)) throw needsSession ? signInFirst() : notFound()
    if (needsSession) return reply.redirect(`${SIGN_IN_PATH}?next=${pathOf(partner.target)}`, HttpStatus.SEE_OTHER)
    return send(partner, reply.status(404), this.documentation.notFoundPage(isReader))
  }

  private form(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.pages.count(partnerRequestOf(request))
    const next = pageAfter(new URLSearchParams(queryOf(request.originalUrl)).get('next'))
    return sendPage(reply, signInPage(this.documentation.signInPage, { id: '', next }))
  }

  private async signIn(partner: PartnerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const given = readSignIn(partner)
    try {
      const cookie = await this.sessions.begin(partner, given)
      return reply.header('set-cookie', cookie).redirect(given.next, HttpStatus.SEE_OTHER)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      noteError(partner.http, reply, error)
      reply.status(error.status).headers(error.headers ?? {})
      return sendPage(reply, signInPage(this.documentation.signInPage, given, error.message))
    }
  }
}

const notFound = (): ServiceError => new ServiceError('not_found', `This page does not exist; start at ${DOCS_PATH}.`)

const signInFirst = (): ServiceError =>
  new ServiceError('invalid_token', `Sign in at ${SIGN_IN_PATH} with a signing key or an OAuth client to read this.`)
