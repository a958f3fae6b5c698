import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import type { Kafka } from 'kafkajs'
import { KAFKA_OPTIONS, type KafkaOptions } from './kafka-client.js'
import { evictPredecessor } from './predecessor.js'

/** Time in which a killed predecessor's database session ends, ms. */
const WAIT = 5_000
const INTERVAL = 100

type Session = Awaited<ReturnType<Database['session']>>

/** This instance's name, held by a database lock for as long as the process lives, so that only one carries it. */
@Injectable()
export class InstanceName implements OnApplicationShutdown {
  private session: Session | undefined
  private taken: Promise<boolean> | undefined

  constructor(
    @Inject(KAFKA_OPTIONS) private readonly options: KafkaOptions,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly database: Database,
  ) {}

  get instance(): string {
    return this.options.instance
  }

  /** Removes what a crashed process of this name left in the consumer group; not when such a process is alive. */
  async evictPredecessor(kafka: Kafka): Promise<void> {
    const { group, instance } = this.options
    if (!(await this.hold())) {
      this.log.warn({ instance }, 'another live process carries this instance name; give each its own')
      return
    }
    const evicted = await evictPredecessor(kafka, group, instance)
    if (evicted > 0) this.log.info({ instance, evicted }, "took over from this instance's crashed predecessor")
  }

  /** @returns whether this process carries the name from now on; false when another live one does */
  hold(): Promise<boolean> {
    this.taken ??= this.take()
    this.taken.catch(() => (this.taken = undefined))
    return this.taken
  }

  /** After the consumer has left its group: a successor that had the name earlier would throw it out. */
  async onApplicationShutdown(): Promise<void> {
    await this.session?.end()
  }

  private async take(): Promise<boolean> {
    this.session = await this.database.session()
    for (const deadline = Date.now() + WAIT; Date.now() < deadline; await delay(INTERVAL)) {
      const { rows } = await this.session.query<{ taken: boolean }>(
        `SELECT pg_try_advisory_lock(hashtext('instance name'), hashtext($1)) AS taken`,
        [this.options.instance],
      )
      if (rows[0]!.taken) return true
    }
    return false
  }
}
