import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { advisoryLocks, Database, isAlive, tryLock } from '@connectivity/database'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { BackgroundLoop, pause, unlessAborted } from '@connectivity/service-kit/work'
import type { Kafka } from 'kafkajs'
import { KAFKA_OPTIONS, type KafkaOptions } from './kafka-client.js'
import { evictPredecessor } from './predecessor.js'

/** Time within which a killed predecessor's database session ends, ms. */
const WAIT = 5_000
const INTERVAL = 100
/** Interval of the queries that show whether the lock's session lives, ms. */
const CHECK = 5_000
/** Pause between two tries to reach the database, and to take a name that another process has, ms. */
const RETRY_PAUSE = 1_000
const TAKEN_PAUSE = 60_000
const LOCK = advisoryLocks.instanceName('$1')

type Session = Awaited<ReturnType<Database['session']>>

/**
 * This instance's name, held by a database lock so that only one process has it. The lock ends with its session, for
 * example when PostgreSQL restarts, and is taken again at once. A process that finds the name with another one by then
 * logs it and works on, as after a start without the name.
 */
@Injectable()
export class InstanceName implements OnApplicationShutdown {
  private readonly stopping = new AbortController()
  private session: Session | undefined
  private taken: Promise<boolean> | undefined
  private isHeld = false
  private readonly keeping = new BackgroundLoop(
    () => this.keep(),
    () => RETRY_PAUSE,
  )

  constructor(
    @Inject(KAFKA_OPTIONS) private readonly options: KafkaOptions,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly database: Database,
  ) {}

  get instance(): string {
    return this.options.instance
  }

  /**
   * Removes the members that a crashed process of this name left in the consumer group, unless such a process is alive.
   * @throws the signal's reason once it is aborted
   */
  async evictPredecessor(kafka: Kafka, signal: AbortSignal): Promise<void> {
    const { group, instance } = this.options
    if (!(await unlessAborted(this.hold(), signal))) {
      this.warnOfAnother()
      return
    }
    const evicted = await evictPredecessor(kafka, group, instance, signal)
    if (evicted > 0) this.log.info({ instance, evicted }, "took over from this instance's crashed predecessor")
  }

  /** @returns whether this process has the name from now on; false when another live one has it */
  hold(): Promise<boolean> {
    this.taken ??= this.begin()
    this.taken.catch(() => (this.taken = undefined))
    return this.taken
  }

  /** Runs after the consumer has left its group: a successor that got the name earlier would evict it. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort(new Error('the process stops'))
    await this.taken?.catch(() => undefined)
    await this.keeping.stop()
    await this.session?.end()
  }

  private async begin(): Promise<boolean> {
    this.isHeld = await this.take()
    if (this.isHeld) this.keeping.start(CHECK)
    return this.isHeld
  }

  /** Takes the name again when its session is lost. @returns how long to rest, ms */
  private async keep(): Promise<number> {
    if (this.isHeld && (await unlessAborted(isAlive(this.session!), this.stopping.signal))) return CHECK
    if (this.isHeld)
      this.log.warn({ instance: this.instance }, 'the lock on this instance name is lost, taking it again')
    this.isHeld = false
    this.isHeld = await this.take()
    if (this.isHeld) return CHECK
    this.warnOfAnother()
    return TAKEN_PAUSE
  }

  private warnOfAnother(): void {
    this.log.warn({ instance: this.instance }, 'another live process carries this instance name; give each its own')
  }

  private async take(): Promise<boolean> {
    const { signal } = this.stopping
    signal.throwIfAborted()
    await this.session?.end().catch(() => undefined)
    this.session = await unlessAborted(this.database.session(), signal, (late) => late.end())
    for (const deadline = Date.now() + WAIT; Date.now() < deadline; await pause(INTERVAL, signal)) {
      signal.throwIfAborted()
      if (!(await unlessAborted(tryLock(this.session, LOCK, [this.options.instance]), signal))) continue
      this.session.once('end', () => this.keeping.wake())
      return true
    }
    return false
  }
}
