import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { Database } from './database.js'

const INTERVAL = 10 * 60_000
const BATCH = 5_000

/** Deletes answers older than the 72 hours for which they are kept, a batch at a time. */
@Injectable()
export class IdempotencyRetention implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.purge().catch(() => undefined), INTERVAL)
    this.timer.unref()
  }

  onModuleDestroy(): void {
    clearInterval(this.timer)
  }

  /** @returns number of answers deleted */
  async purge(): Promise<number> {
    let purged = 0
    for (let batch = BATCH; batch === BATCH; purged += batch) batch = await this.purgeBatch()
    return purged
  }

  private async purgeBatch(): Promise<number> {
    const { rowCount } = await this.database.reads.query(
      `DELETE FROM idempotent_answer WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM idempotent_answer WHERE answered_at < now() - interval '72 hours' LIMIT ${BATCH}))`,
    )
    return rowCount ?? 0
  }
}
