import { Module } from '@nestjs/common'
import { BodyBudgets } from './body-budgets.service.js'
import { KnownAddresses } from './known-addresses.service.js'
import { MalformedRecord } from './malformed-record.service.js'
import { PrivateListener } from './private-listener.service.js'
import { PublicListener } from './public-listener.service.js'
import { RawBodies } from './raw-body.service.js'

/** The two listeners, their checks before a request is handled, and the reading of bodies. */
@Module({
  providers: [PublicListener, PrivateListener, MalformedRecord, KnownAddresses, BodyBudgets, RawBodies],
  exports: [PublicListener, KnownAddresses, RawBodies],
})
export class HttpModule {}
