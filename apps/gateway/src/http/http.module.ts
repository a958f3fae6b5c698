import { Module } from '@nestjs/common'
import { BodyBudgets } from './requests/body-budgets.service.js'
import { KnownAddresses } from './requests/known-addresses.service.js'
import { MalformedRecord } from './listeners/malformed-record.service.js'
import { PrivateListener } from './listeners/private-listener.service.js'
import { PublicListener } from './listeners/public-listener.service.js'
import { RawBodies } from './requests/raw-body.service.js'

/** The two listeners, their checks before a request is handled, and the reading of bodies. */
@Module({
  providers: [PublicListener, PrivateListener, MalformedRecord, KnownAddresses, BodyBudgets, RawBodies],
  exports: [PublicListener, KnownAddresses, RawBodies],
})
export class HttpModule {}
