import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable } from '@nestjs/common'
import type { DeadLetter, DeadLetterState, WholeDeadLetter } from '@connectivity/contracts/dead-letters'
import { ServiceError } from '@connectivity/contracts/errors'
import type { OperatorAction } from '@connectivity/contracts/operator-changes'
import { Database, lockFence, type Transaction } from '@connectivity/database'
import { type Answer, recordInAudit, runOperatorChange } from '@connectivity/mutations'
import { operatorOf } from '@connectivity/service-kit/identity'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { notFound, withSchemaVersion } from '@connectivity/service-kit/operators'
import type { FastifyRequest } from 'fastify'
import { BatchConsumer } from '../consuming/batch-consumer.js'
import { isMessageFault, reasonOf } from '../consuming/batch-transaction.js'
import { DeadLetterStore, type StoredDeadLetter, type WholeStoredLetter } from './dead-letter.store.js'
import { presentDeadLetter, presentWholeLetter } from './dead-letter.view.js'
import { KAFKA_OPTIONS, type KafkaOptions } from '../broker/kafka-client.js'
import { TopicBatch } from '../consuming/topic-batch.js'

/** Attempts, and the pause between them in ms, for transient faults such as a lock that the consumer holds. */
const TRIES = 4
const PAUSE = 250
/** Audit reason of a read, for which operators give none. */
const READ = 'read the whole message'

const notNow = (): ServiceError =>
  new ServiceError('service_unavailable', 'The message could not be replayed just now; it stays open, try again.', {
    retryAfterSeconds: 2,
  })

const settled = (state: DeadLetterState): ServiceError =>
  new ServiceError('invalid_transition', `This dead letter is ${state}; only open ones are replayed or discarded.`)

/** Operators' actions on dead letters, each with its audit entry in the same transaction. */
@Injectable()
export class DeadLetterReplay {
  constructor(
    private readonly database: Database,
    private readonly letters: DeadLetterStore,
    private readonly consumer: BatchConsumer,
    @Inject(KAFKA_OPTIONS) private readonly options: KafkaOptions,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Passes the stored bytes to the topic's handler again. A message that fails again stays open.
   * @throws ServiceError 404; 409 `invalid_transition` when it is not open; 503 for a transient fault
   */
  async replay(request: FastifyRequest, id: string, reason: string) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.change(request, id, { action: 'dead_letter.replay', reason, status: 202 }, (tx, locked) =>
          this.tried(tx, locked),
        )
      } catch (error) {
        if (error instanceof ServiceError) throw error
        this.log.warn({ err: error, dead_letter: id, attempt }, 'dead letter could not be replayed')
        if (attempt === TRIES) throw notNow()
        await delay(PAUSE)
      }
    }
  }

  /** The letter, with its bytes for operators. The bytes may name a guest, so the audit records the read. */
  async read(
    request: FastifyRequest,
    id: string,
  ): Promise<{ letter: DeadLetter | WholeDeadLetter; auditEntry: string | null }> {
    const letter = await this.letters.find(id)
    if (!letter) throw notFound('dead letter')
    const { service } = this.options
    if (operatorOf(request).role !== 'connectivity:operate')
      return { letter: presentDeadLetter(service, letter), auditEntry: null }
    const seen = { action: 'dead_letter.read', subject: id, reason: READ, before: null, after: null } as const
    const auditEntry = await this.database.transaction((tx) => recordInAudit(tx, request, seen))
    return { letter: presentWholeLetter(service, letter), auditEntry }
  }

  /** @throws ServiceError 404; 409 `invalid_transition` when it is not open */
  discard(request: FastifyRequest, id: string, reason: string) {
    const act = { action: 'dead_letter.discard', reason, status: 200 } as const
    return this.change(request, id, act, async (_tx, letter) => ({ ...letter, state: 'discarded' }))
  }

  private change(
    request: FastifyRequest,
    id: string,
    { action, reason, status }: { action: OperatorAction; reason: string; status: number },
    become: (tx: Transaction, locked: WholeStoredLetter) => Promise<StoredDeadLetter>,
  ) {
    return runOperatorChange(this.database, request, async (tx, record): Promise<Answer> => {
      const locked = await this.letters.lock(tx, id)
      if (!locked) throw notFound('dead letter')
      if (locked.state !== 'open') throw settled(locked.state)
      const changed = await become(tx, locked)
      await this.letters.settle(tx, changed)
      const before = presentDeadLetter(this.options.service, locked)
      const after = presentDeadLetter(this.options.service, changed)
      record({ action, subject: id, reason, before, after })
      return { status, headers: {}, body: JSON.stringify(withSchemaVersion(after)) }
    })
  }

  /**
   * The letter after another try. Holds the lock of the partition's position, which does not change, so that the
   * handler never works on two batches of a partition at once.
   */
  private async tried(tx: Transaction, letter: WholeStoredLetter): Promise<StoredDeadLetter> {
    const { topic, partition, key, value } = letter
    await lockFence(tx, { group: this.options.group, topic, partition })
    const message = { offset: BigInt(letter.offset), key, value }
    const batch = new TopicBatch(topic, partition, [message], tx)
    const fault = await this.faultOf(tx, batch)
    return fault === null
      ? { ...letter, state: 'replayed' }
      : { ...letter, attempts: letter.attempts + 1, reason: fault }
  }

  /** @returns the reason why the message cannot be used; null if it took effect */
  private async faultOf(tx: Transaction, batch: TopicBatch): Promise<string | null> {
    tx.savepoint('replay')
    try {
      await this.consumer.handle(batch)
      await tx.flush()
    } catch (error) {
      if (!isMessageFault(error)) throw error
      await tx.rollbackTo('replay')
      return reasonOf(error)
    }
    return batch.deadLetters[0]?.reason ?? null
  }
}
