import { Inject, Injectable } from '@nestjs/common'
import { Purging } from '@connectivity/database/purging'
import { EventRetentionStore } from './event-retention.store.js'

/** Injection token: how long events are kept, days. */
export const RETENTION_DAYS = Symbol('retention days')

/** Drops events older than the retention time. */
@Injectable()
export class EventRetention {
  constructor(purging: Purging, store: EventRetentionStore, @Inject(RETENTION_DAYS) days: number) {
    purging.add('old events', () => store.drop(days))
  }
}
