import { Module } from '@nestjs/common'
import { BodyBudgets } from './body-budgets.js'
import { KnownAddresses } from './known-addresses.js'
import { MalformedRecord } from './malformed-record.js'
import { PrivateListener } from './private-listener.js'
import { PublicListener } from './public-listener.js'
import { RawBodies } from './raw-body.js'

/** The two listeners, their checks before a request is handled, and the reading of bodies. */
@Module({
  providers: [PublicListener, PrivateListener, MalformedRecord, KnownAddresses, BodyBudgets, RawBodies],
  exports: [PublicListener, KnownAddresses, RawBodies],
})
export class HttpModule {}
