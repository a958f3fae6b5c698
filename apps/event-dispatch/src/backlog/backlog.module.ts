import { Module } from '@nestjs/common'
import { BacklogChangeStore } from './backlog-change.store.js'
import { BacklogChanges } from './backlog-changes.service.js'
import { ReplayStore } from './replay.store.js'
import { WaitingDeliveriesStore } from './waiting-deliveries.store.js'

/** Deliveries that wait, and their bulk changes: replay, release, end. */
@Module({
  providers: [WaitingDeliveriesStore, BacklogChangeStore, BacklogChanges, ReplayStore],
  exports: [WaitingDeliveriesStore, BacklogChangeStore, BacklogChanges, ReplayStore],
})
export class BacklogModule {}
