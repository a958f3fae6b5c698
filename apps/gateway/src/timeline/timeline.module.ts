import { Module } from '@nestjs/common'
import { ForwardingModule } from '../forwarding/forwarding.module.js'
import { RequestLogModule } from '../request-log/request-log.module.js'
import { TimelineController } from './timeline.controller.js'
import { TimelineOperationsController } from './timeline-operations.controller.js'
import { Timelines } from './timelines.service.js'

/** Timelines of reservations, for partners and operators. */
@Module({
  imports: [ForwardingModule, RequestLogModule],
  controllers: [TimelineController, TimelineOperationsController],
  providers: [Timelines],
})
export class TimelineModule {}
