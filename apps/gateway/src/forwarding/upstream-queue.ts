import type { EventEmitter } from 'node:events'
import type { AnswerMemory } from './answer-memory.js'

interface Share {
  active: number
  /** First come, first served. */
  readonly waiting: (() => void)[]
}

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
 * The line before the connections to a service. Applications take turns, none has more than its share, and one whose
 * clients read slowly waits here, holding no connection, until it may keep more (`AnswerMemory`).
 */
export class UpstreamQueue {
  private active = 0
  private readonly shares = new Map<string, Share>()
  /** Applications that wait, the next one first. */
  private readonly line = new Map<string, Share>()

  constructor(
    private readonly limits: QueueLimits,
    private readonly memory: AnswerMemory,
  ) {
    memory.serve({ waiting: () => this.line.keys(), goOn: () => this.goOn() })
  }

  /**
   * Takes a place; give it back with `leave`.
   * @param signal emits `abort` when the caller no longer wants it
   * @returns null when there was one at once, so that nobody has to wait a turn for it
   * @throws Error when it was aborted before there was one
   */
  enter(applicationId: string, signal: EventEmitter): Promise<void> | null {
    const share = this.shareOf(applicationId)
    if (share.waiting.length === 0 && this.mayGo(applicationId, share)) {
      this.go(applicationId, share)
      return null
    }
    const entered = this.wait(applicationId, share, signal)
    this.memory.relieve()
    return entered
  }

  /** Gives a place back: the connection is free. */
  leave(applicationId: string): void {
    const share = this.shares.get(applicationId)!
    share.active -= 1
    this.active -= 1
    this.forget(applicationId, share)
    // Lets every line go on, this one too.
    this.memory.unclaim(applicationId, this.limits.answerBytes)
  }

  /** Lets in whoever may go, one of each application after the other. */
  private goOn(): void {
    if (this.line.size === 0) return
    for (const [applicationId, share] of [...this.line]) {
      if (!this.mayGo(applicationId, share)) continue
      const next = share.waiting.shift()!
      this.line.delete(applicationId)
      if (share.waiting.length > 0) this.line.set(applicationId, share)
      this.go(applicationId, share)
      next()
    }
  }

  private mayGo(applicationId: string, { active }: Share): boolean {
    const { connections, perApplication, answerBytes } = this.limits
    const isFree = this.active < connections && active < perApplication
    return isFree && this.memory.hasRoomFor(applicationId, answerBytes)
  }

  private go(applicationId: string, share: Share): void {
    share.active += 1
    this.active += 1
    this.memory.claim(applicationId, this.limits.answerBytes)
  }

  private wait(applicationId: string, share: Share, signal: EventEmitter): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    share.waiting.push(resolve)
    if (!this.line.has(applicationId)) this.line.set(applicationId, share)
    signal.once('abort', () => {
      const place = share.waiting.indexOf(resolve)
      if (place === -1) return
      share.waiting.splice(place, 1)
      if (share.waiting.length === 0) this.line.delete(applicationId)
      this.forget(applicationId, share)
      reject(new Error('gave up waiting for one of the places at the service'))
    })
    return promise
  }

  private shareOf(applicationId: string): Share {
    const known = this.shares.get(applicationId)
    if (known) return known
    const share = { active: 0, waiting: [] }
    this.shares.set(applicationId, share)
    return share
  }

  private forget(applicationId: string, { active, waiting }: Share): void {
    if (active === 0 && waiting.length === 0) this.shares.delete(applicationId)
  }
}
