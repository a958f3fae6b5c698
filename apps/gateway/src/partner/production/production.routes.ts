import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { type ProductionRequestAnswer, RequestProduction } from '@connectivity/contracts/production'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { Database, type Queryable } from '@connectivity/database'
import { answerOnce, fingerprintOf, type IdempotentRequest, recordedChange, sendAnswer } from '@connectivity/mutations'
import { parseStrictJson, readBody } from '@connectivity/service-kit/http'
import { pathOf } from '@connectivity/contracts/request-target'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Admitted, admittedOf } from '../../admission/admitted.js'
import { idempotencyKeyOf } from '../../admission/mutation.js'
import { leaveBodiesToAdmission } from '../../http/requests/leave-bodies.js'
import { checklistOf, requestedBy } from '../../registry/production/checklist.js'
import { Evidence } from './evidence.service.js'
import { EvidenceStore } from '../../registry/production/evidence.store.js'
import type { ProductionRequestEntity } from '../../registry/production/production-request.entity.js'
import { ProductionRequestStore } from '../../registry/production/production-request.store.js'
import { RequestProductionService } from '../../registry/production/request-production.service.js'
import { presentNotRequested, presentRequested } from './production.view.js'

const PATH = `${BASE_PATH}/production/request`

/** GET and POST /production/request: the pilot that grades itself, and the request to end it. */
@Injectable()
export class ProductionRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly database: Database,
    private readonly requests: ProductionRequestStore,
    private readonly submission: RequestProductionService,
    private readonly evidence: Evidence,
    private readonly store: EvidenceStore,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    void fastify.register(async (routes) => {
      leaveBodiesToAdmission(routes)
      routes.get(PATH, (request) => this.read(admittedOf(request)))
      routes.post(PATH, (request) => this.submit(admittedOf(request)))
    })
  }

  private async read({ connection }: Admitted): Promise<ProductionRequestAnswer> {
    const { connectionId } = connection!
    await this.evidence.settled(connection!)
    const request = await this.requests.newest(connectionId)
    return this.answer(this.database, connectionId, request)
  }

  /** @throws ServiceError 400; 409 `already_in_production`, `request_already_open`; 422 `checklist_incomplete` */
  private async submit(admitted: Admitted): Promise<FastifyReply> {
    const body = readBody(RequestProduction, parseStrictJson(admitted.body.bytes))
    await this.evidence.settled(admitted.connection!)
    const answer = await answerOnce(this.database, identified(admitted, body), async (tx) => {
      const submitted = await this.submission.submit(tx, body, admitted.id)
      const shown = await this.answer(tx, body.property_id, submitted)
      return { status: 202, headers: {}, body: JSON.stringify(shown) }
    })
    sendAnswer(admitted.reply, answer)
    return admitted.reply
  }

  private async answer(
    on: Queryable,
    connectionId: string,
    request: ProductionRequestEntity | null,
  ): Promise<ProductionRequestAnswer> {
    const checklist = checklistOf(await this.store.of(on, connectionId), request && requestedBy(request))
    return {
      schema_version: SCHEMA_VERSION,
      ...(request ? presentRequested(request) : presentNotRequested(connectionId)),
      checklist,
    }
  }
}

const identified = (admitted: Admitted, body: RequestProduction): IdempotentRequest => {
  const { credential, method, target, http, body: sent, id, operation } = admitted
  return {
    applicationId: credential.applicationId,
    method,
    path: pathOf(target),
    key: idempotencyKeyOf(http.raw),
    fingerprint: fingerprintOf(method, target, sent.hash),
    correlationId: id,
    ...(credential.person &&
      recordedChange(http.server, {
        ...{ actor: credential.person.email, method, path: operation.path, subject: body.property_id },
        ...{ body, correlationId: id },
      })),
  }
}
