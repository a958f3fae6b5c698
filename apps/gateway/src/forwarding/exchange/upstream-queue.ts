import type { EventEmitter } from 'node:events'
import { FairQueue, waitForTurn } from '@connectivity/service-kit/work'
import type { AnswerMemory } from '../answers/answer-memory.service.js'

/** Limits of a queue for connections. */
export interface QueueLimits {
  /** Concurrent requests. */
  connections: number
  /** Concurrent requests of one application. */
  perApplication: number
  /** Places for applications without a request in work, so that busy ones do not make all others wait. */
  reserved: number
  /** Largest size of an answer, bytes. */
  answerBytes: number
  /** Longest wait for a place, ms; without it the caller's deadline alone bounds the wait. */
  patience?: number
}

/**
 * The queue for the connections to a service. Applications take turns and none gets more than its share. An application
 * whose clients read slowly waits here, without a connection, until it may keep more bytes (`AnswerMemory`).
 */
export class UpstreamQueue {
  private readonly queue: FairQueue

  constructor(
    private readonly limits: QueueLimits,
    private readonly memory: AnswerMemory,
  ) {
    const { connections, perApplication, reserved, answerBytes } = limits
    const places = (own: number) => (own === 0 ? connections : connections - reserved)
    this.queue = new FairQueue({
      mayBegin: (applicationId, own, all) =>
        all < places(own) && own < perApplication && memory.hasRoomFor(applicationId, answerBytes),
      onBegin: (applicationId) => memory.claim(applicationId, answerBytes),
    })
    memory.serve({ waiting: () => this.queue.waitingNames(), resume: () => this.queue.advance() })
  }

  /**
   * Enters the queue; call `leave` when the request has ended.
   * @param signal emits `abort` when the caller no longer wants it
   * @returns null when a place is free at once, so that the caller need not wait a turn of the event loop
   * @throws Error when no place is free in time, or when the caller aborts before
   */
  enter(applicationId: string, signal: EventEmitter): Promise<void> | null {
    const waiting = this.queue.enter(applicationId)
    if (waiting === null) return null
    signal.once('abort', () => waiting.giveUp(new Error('gave up waiting for one of the places at the service')))
    this.memory.relieve()
    return waitForTurn(waiting, { ms: this.limits.patience, late })
  }

  /** Gives a place back: the connection is free. */
  leave(applicationId: string): void {
    this.queue.leave(applicationId)
    // Wakes every queue, including this one.
    this.memory.unclaim(applicationId, this.limits.answerBytes)
  }
}

const late = (): Error => new Error('no place at the service became free in time')
