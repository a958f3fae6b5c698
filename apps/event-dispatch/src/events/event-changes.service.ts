import { Inject, Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { StreamedChannel } from '@connectivity/database/notifications'
import { ChangeStream } from '@connectivity/service-kit/http'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'

/**
 * Notifies the gateways, where requests wait, of the connections in which a commit has added events or changed states
 * that partners can filter by.
 */
@Injectable()
export class EventChanges extends StreamedChannel {
  constructor(stream: ChangeStream, database: Database, @Inject(LOGGER) log: Logger) {
    super(stream, database, 'event_index', log)
  }
}
