import type { EventEmitter } from 'node:events'
import { FairQueue } from '@connectivity/service-kit/fair-queue'
import type { AnswerMemory } from './answer-memory.js'

/** How a queue gives out the connections behind it. */
export interface QueueLimits {
  /** Requests at once. */
  connections: number
  /** Requests of one application at once. */
  perApplication: number
  /** Bytes that an answer may have. */
  answerBytes: number
}

/**
 * The queue before the connections to a service. Applications take turns, none has more than its share, and one whose
 * clients read slowly waits here, holding no connection, until it may keep more (`AnswerMemory`).
 */
export class UpstreamQueue {
  private readonly queue: FairQueue

  constructor(
    private readonly limits: QueueLimits,
    private readonly memory: AnswerMemory,
  ) {
    const { connections, perApplication, answerBytes } = limits
    this.queue = new FairQueue({
      mayBegin: (applicationId, own, all) =>
        all < connections && own < perApplication && memory.hasRoomFor(applicationId, answerBytes),
      onBegin: (applicationId) => memory.claim(applicationId, answerBytes),
    })
    memory.serve({ waiting: () => this.queue.waitingNames(), goOn: () => this.queue.advance() })
  }

  /**
   * Takes a place; give it back with `leave`.
   * @param signal emits `abort` when the caller no longer wants it
   * @returns null when there was one at once, so that nobody has to wait a turn for it
   * @throws Error when it was aborted before there was one
   */
  enter(applicationId: string, signal: EventEmitter): Promise<void> | null {
    const waiting = this.queue.enter(applicationId)
    if (waiting === null) return null
    signal.once('abort', () => waiting.giveUp(new Error('gave up waiting for one of the places at the service')))
    this.memory.relieve()
    return waiting.begun
  }

  /** Gives a place back: the connection is free. */
  leave(applicationId: string): void {
    this.queue.leave(applicationId)
    // Lets every queue go on, this one too.
    this.memory.unclaim(applicationId, this.limits.answerBytes)
  }
}
