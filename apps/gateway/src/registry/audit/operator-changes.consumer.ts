import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { OnBatch, type TopicBatch } from '@connectivity/kafka/consuming'
import { AuditEntries } from './audit-entries.service.js'
import { auditEntriesRefused } from './audit-metrics.js'
import { AuditStore } from './audit.store.js'

/** Adds operators' changes in other services to the audit. Refused entries become dead letters and are counted. */
@Controller()
export class OperatorChangesConsumer {
  constructor(
    private readonly entries: AuditEntries,
    private readonly audit: AuditStore,
  ) {}

  @OnBatch('connectivity.operator-changes.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    const entries = batch.parse((message) => this.entries.read(message)).map(({ value }) => value)
    this.audit.keep(batch.tx, entries)
    const refused = batch.deadLetters.length
    if (refused > 0) batch.tx.afterCommit(() => auditEntriesRefused.inc(refused))
  }
}
