import { Module } from '@nestjs/common'
import { BacklogModule } from '../backlog/backlog.module.js'
import { SendingModule } from '../sending/sending.module.js'
import { Attempts } from './attempts.service.js'
import { DeliveryResultStore } from './delivery-result.store.js'
import { DeliveryResults } from './delivery-results.service.js'
import { DeliverySignals } from './delivery-signals.service.js'
import { DeliveryTargetStore } from './delivery-target.store.js'
import { Dispatcher } from './dispatcher.service.js'
import { LaneStore } from './lane.store.js'
import { LeaseKeeper } from './lease-keeper.service.js'
import { LeaseStore } from './lease.store.js'
import { StrandedDeliveries } from './stranded-deliveries.service.js'
import { StrandedDeliveriesStore } from './stranded-deliveries.store.js'

/** Delivers waiting events: leases callbacks, sends the first event of each lane, records the verdict. */
@Module({
  imports: [BacklogModule, SendingModule],
  providers: [
    ...[Dispatcher, DeliverySignals, LeaseKeeper, LeaseStore, LaneStore, DeliveryTargetStore],
    ...[Attempts, DeliveryResults, DeliveryResultStore, StrandedDeliveries, StrandedDeliveriesStore],
  ],
})
export class DeliveryModule {}
