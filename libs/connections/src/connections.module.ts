import { Module } from '@nestjs/common'
import { ConnectionEventsConsumer } from './connection-events.consumer.js'
import { ConnectionStore } from './connection.store.js'

/** A service's own copy of the connections, kept current; its migrations create the table `connection`. */
@Module({ controllers: [ConnectionEventsConsumer], providers: [ConnectionStore], exports: [ConnectionStore] })
export class ConnectionsModule {}
