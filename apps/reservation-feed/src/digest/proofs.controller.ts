import { Body, Controller, Post, Req, Res } from '@nestjs/common'
import { type ProofAnswer, ProofWrite } from '@connectivity/contracts/digest'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { formatTimestamp, parseCheckpoint } from '@connectivity/contracts/time'
import { idempotentMutation, PreparedMutations, sendAnswer } from '@connectivity/mutations'
import { addressedConnection } from '@connectivity/service-kit/identity'
import { whileClientWaits } from '@connectivity/service-kit/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { proofsRecorded } from './digest-metrics.js'
import { ProofCheck } from './proof-check.service.js'
import { ProofStore } from './proof.store.js'

/** POST /reservations/proofs. The feed is read before the transaction that records the finding. */
@Controller(`${BASE_PATH}/reservations/proofs`)
export class ProofsController {
  constructor(
    private readonly prepared: PreparedMutations,
    private readonly check: ProofCheck,
    private readonly store: ProofStore,
  ) {}

  @Post()
  async record(@Body() body: ProofWrite, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { property_id: connectionId } = addressedConnection(request, body.property_id)
    const { rows, digest } = body
    const claim = { checkpoint: parseCheckpoint(body.checkpoint)!, rows, digest }
    const answer = await this.prepared.answerOnce(
      idempotentMutation(request),
      () => whileClientWaits(request.raw, (gone) => this.check.judge(connectionId, claim, gone)),
      async (tx, { result, checkpoint }) => {
        const foundAt = new Date()
        this.store.record(tx, connectionId, result, { ...claim, checkpoint, foundAt })
        const proof: ProofAnswer = {
          schema_version: SCHEMA_VERSION,
          property_id: connectionId,
          checkpoint: formatTimestamp(checkpoint),
          result,
          proven_at: result === 'match' ? foundAt.toISOString() : null,
        }
        tx.afterCommit(() => proofsRecorded.inc({ result }))
        return { status: 200, headers: {}, body: JSON.stringify(proof) }
      },
    )
    sendAnswer(reply, answer)
  }
}
