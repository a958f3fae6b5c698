import { Module } from '@nestjs/common'
import { purge } from '@connectivity/database'
import { LiveModule } from '../live/live.module.js'
import { LogSearches } from './log-searches.service.js'
import { RequestListStore } from './request-list.store.js'
import { RequestListings } from './request-listings.service.js'
import { RequestLog } from './request-log.service.js'
import { RequestLogStore } from './request-log.store.js'
import { RequestOperationsController } from './request-operations.controller.js'
import { RequestsController } from './requests.controller.js'
import { ServedPageStore } from './served-page.store.js'

/** Records partners' requests and shows them to partners and operators. */
@Module({
  imports: [LiveModule],
  controllers: [RequestsController, RequestOperationsController],
  providers: [
    ...[RequestLog, RequestLogStore, RequestListStore, RequestListings, ServedPageStore, LogSearches],
    purge('expired days of the request log', RequestLogStore, (store) => store.maintain()),
  ],
  exports: [RequestLog, ServedPageStore, LogSearches],
})
export class RequestLogModule {}
