import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { ServiceError } from '@connectivity/contracts/errors'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { pathOf } from '@connectivity/contracts/request-target'
import { matchesTag } from '@connectivity/service-kit/entity-tag'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Documentation, type DocumentationFile } from './documentation.service.js'
import { DOCS_PATH } from '../../http/documentation-path.js'

/** Pages load nothing from other origins; the reference uses inline styles and searches in a worker. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** GET /openapi.json for every credential, and the pages at /docs. */
@Injectable()
export class DocumentationRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly documentation: Documentation,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.get(`${BASE_PATH}/openapi.json`, (request, reply) => send(request, reply, this.documentation.description))
    for (const path of [DOCS_PATH, `${DOCS_PATH}/*`]) {
      fastify.get(path, (request, reply) => send(request, reply.headers(PAGE_HEADERS), this.page(request)))
    }
  }

  private page({ originalUrl }: FastifyRequest): DocumentationFile {
    const file = this.documentation.page(pathOf(originalUrl).slice(DOCS_PATH.length + 1))
    if (file) return file
    throw new ServiceError('not_found', `There is no such page; start at ${DOCS_PATH}.`)
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { body, type, tag }: DocumentationFile): FastifyReply {
  void reply.header('etag', tag)
  if (matchesTag(request.headers['if-none-match'], tag)) return reply.status(304).send()
  return reply.type(type).send(body)
}
