import { setTimeout as delay } from 'node:timers/promises'
import { Injectable } from '@nestjs/common'
import { AuditStore } from './audit.store.js'

const LONGEST_WAIT = 1_000
const INTERVAL = 20

/** Waits for audit entries of changes in other services, which arrive over Kafka at any gateway. */
@Injectable()
export class AuditArrivals {
  constructor(private readonly audit: AuditStore) {}

  /** Waits at most 1 s for an entry: it arrives later if the broker is unavailable. */
  async waitFor(entryId: string): Promise<void> {
    for (const deadline = Date.now() + LONGEST_WAIT; Date.now() < deadline; await delay(INTERVAL)) {
      if (await this.audit.has(entryId)) return
    }
  }
}
