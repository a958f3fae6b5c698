import {
  type FactoryProvider,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type Type,
} from '@nestjs/common'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import type { Queryable } from './transaction.js'

const EVERY = 60_000
/** Most rows that one statement deletes. */
const BATCH = 5_000

/** Deletes one batch of expired rows. @returns number of rows deleted, 0 when none are left */
export type PurgeBatch = () => Promise<number>

/**
 * Deletes one batch of rows; skips rows that another transaction is writing or deleting.
 * @param condition which rows, as SQL of the code
 * @param values parameters of the condition
 * @returns number of rows deleted, 0 when none are left
 */
export async function deleteBatch(
  database: Queryable,
  table: string,
  condition: string,
  values: readonly unknown[] = [],
): Promise<number> {
  const { rowCount } = await database.query(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
    [...values],
  )
  return rowCount ?? 0
}

/** The loop that deletes all expired rows of a service; it begins at the start, because a stop may have been long. */
@Injectable()
export class Purging implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly purges = new Map<string, PurgeBatch>()
  private readonly loop = BackgroundLoop.every(EVERY, () => this.run())

  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  /** @param what name in the log, such as `expired tokens` */
  add(what: string, batch: PurgeBatch): void {
    this.purges.set(what, batch)
  }

  onApplicationBootstrap(): void {
    this.loop.start()
  }

  /** Resolves when the running batch has ended. */
  onModuleDestroy(): Promise<void> {
    return this.loop.stop()
  }

  /** Deletes everything that is due, one kind after the other. Never rejects: the next run retries what failed. */
  async run(): Promise<void> {
    for (const [what, batch] of this.purges) {
      try {
        while (!this.loop.isStopping && (await batch()) > 0);
      } catch (err) {
        this.log.warn({ err }, `${what} were not deleted`)
      }
    }
  }
}

/**
 * Entry of a module's `providers` that has expired rows deleted regularly.
 * @param what name in the log, such as `expired tokens`
 * @param owner provider of the same module that deletes them
 * @param batch deletes one batch, and returns the number of rows deleted
 */
export const purge = <Owner>(
  what: string,
  owner: Type<Owner>,
  batch: (owner: Owner) => Promise<number>,
): FactoryProvider => ({
  provide: Symbol(what),
  inject: [Purging, owner],
  useFactory: (purging: Purging, it: Owner) => purging.add(what, () => batch(it)),
})
