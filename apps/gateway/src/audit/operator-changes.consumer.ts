import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { parseOperatorChange } from '@connectivity/contracts/operator-changes'
import { OnBatch, type TopicBatch } from '@connectivity/kafka/topic-batch'
import { AuditStore } from './audit.store.js'

/** Takes what operators changed in other services into the audit. */
@Controller()
export class OperatorChangesConsumer {
  constructor(private readonly audit: AuditStore) {}

  @OnBatch('connectivity.operator-changes.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    const entries = batch.parse(parseOperatorChange).map(({ value }) => value)
    await this.audit.keep(batch.tx, entries)
  }
}
