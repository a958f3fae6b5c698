import { Injectable } from '@nestjs/common'
import type { OperatorAction } from '@connectivity/contracts/operator-changes'
import { Database, type Transaction } from '@connectivity/database'
import { type AuditedChange, runOperatorChange, sendAnswer } from '@connectivity/mutations'
import { withSchemaVersion } from '@connectivity/service-kit/operators'
import { answerSeal, SecretVault } from '@connectivity/vault'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** An operator's request: the action as the audit names it, and the reason. */
interface Requested {
  action: OperatorAction
  reason: string
}

/** An operator's change in progress. */
export interface Change {
  tx: Transaction
  reason: string
  /** Writes the audit entry in the same transaction. A change that finds everything as requested writes none. */
  record: (effect: Pick<AuditedChange, 'subject' | 'before' | 'after'>) => void
}

/**
 * Runs operators' changes of the registry: effect, audit entry and answer commit together. Stored
 * answers are sealed, because some reveal a secret.
 */
@Injectable()
export class OperatorChanges {
  constructor(
    private readonly database: Database,
    private readonly vault: SecretVault,
  ) {}

  /**
   * Makes a change and answers with the record that `work` returns.
   * @param status of the answer to a successful change
   * @throws ServiceError as `runOperatorChange`, or the error of `work`
   */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { action, reason }: Requested,
    work: (change: Change) => Promise<object>,
    status = 200,
  ): Promise<void> {
    const answer = await runOperatorChange(
      this.database,
      request,
      async (tx, record) => {
        const shown = await work({ tx, reason, record: (effect) => record({ action, reason, ...effect }) })
        return { status, headers: {}, body: JSON.stringify(withSchemaVersion(shown)) }
      },
      (mutation) => answerSeal(this.vault, mutation),
    )
    sendAnswer(reply, answer)
  }
}
