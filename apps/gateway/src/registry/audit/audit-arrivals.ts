import { setTimeout as delay } from 'node:timers/promises'
import { Injectable } from '@nestjs/common'
import { AuditStore } from './audit.store.js'

const LONGEST_WAIT = 1_000
const INTERVAL = 20

/** Entries of changes in other services arrive over Kafka, at any of the gateways. */
@Injectable()
export class AuditArrivals {
  constructor(private readonly audit: AuditStore) {}

  /** Waits until an entry has arrived, at most 1 s: it will, but nobody waits for a broker that is away. */
  async waitFor(entryId: string): Promise<void> {
    for (const deadline = Date.now() + LONGEST_WAIT; Date.now() < deadline; await delay(INTERVAL)) {
      if (await this.audit.has(entryId)) return
    }
  }
}
