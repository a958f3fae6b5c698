import { Controller, Inject } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { ContractViolation } from '@connectivity/contracts/contract-violation'
import {
  operatorActions,
  type OperatorChangeEntry,
  type OperatorChangeProof,
  parseOperatorChange,
} from '@connectivity/contracts/operator-changes'
import { OnBatch, type TopicBatch } from '@connectivity/kafka/topic-batch'
import { isProven } from '@connectivity/service-kit/operator-change-proof'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { auditEntriesRefused } from './audit-metrics.js'
import { AuditStore } from './audit.store.js'

/**
 * Adds operators' changes in other services to the audit. Any writer to the topic could invent entries, so each must
 * carry a proof by the service that it names, and its action must be one of that service's. Others become dead letters,
 * which are logged and counted.
 */
@Controller()
export class OperatorChangesConsumer {
  constructor(
    private readonly audit: AuditStore,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @OnBatch('connectivity.operator-changes.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    const entries = batch.parse((value) => this.proven(value)).map(({ value }) => value)
    await this.audit.keep(batch.tx, entries)
    const refused = batch.deadLetters.length
    if (refused > 0) batch.afterCommit(() => auditEntriesRefused.inc(refused))
  }

  /** @throws ContractViolation for an entry that the named service did not make or may not make */
  private proven(value: Uint8Array): OperatorChangeEntry {
    const change = parseOperatorChange(value)
    const { entry, proof } = change
    const actions: readonly string[] = operatorActions[proof.service]
    if (!actions.includes(entry.action)) throw new ContractViolation('/data/action', notOf(entry, proof))
    if (isProven(this.config.IDENTITY_KEYS[proof.service], change)) return entry
    throw new ContractViolation('/data/proofs', `must hold a proof with the identity key of ${proof.service}`)
  }
}

const notOf = ({ action }: OperatorChangeEntry, { service }: OperatorChangeProof): string =>
  `must be an action of ${service}, which ${JSON.stringify(action.slice(0, 64))} is not`
