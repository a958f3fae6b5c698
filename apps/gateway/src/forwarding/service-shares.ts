import type { EventEmitter } from 'node:events'
import { Injectable } from '@nestjs/common'

/** At most half of the connections that calls of one kind have to a service, see `Upstreams`. */
const SHARE = 8

interface Share {
  active: number
  /** First come, first served. */
  readonly waiting: (() => void)[]
}

/**
 * Keeps one application from holding every connection to a service: clients that read slowly hold theirs for as long
 * as they may, and everybody else would wait with them.
 */
@Injectable()
export class ServiceShares {
  private readonly shares = new Map<string, Share>()

  /**
   * Takes a place; give it back with `leave`.
   * @param connections what is shared: a service and a kind of call
   * @param signal emits `abort` when the caller no longer wants it
   * @returns null when there was one at once, so that nobody has to wait a turn for it
   * @throws Error when it was aborted before there was one
   */
  enter(connections: string, applicationId: string, signal: EventEmitter): Promise<void> | null {
    const key = keyOf(connections, applicationId)
    const share = this.shares.get(key)
    if (!share) {
      this.shares.set(key, { active: 1, waiting: [] })
      return null
    }
    if (share.active >= SHARE) return wait(share, signal)
    share.active += 1
    return null
  }

  leave(connections: string, applicationId: string): void {
    const key = keyOf(connections, applicationId)
    const share = this.shares.get(key)!
    const next = share.waiting.shift()
    if (next) return next()
    share.active -= 1
    if (share.active === 0) this.shares.delete(key)
  }
}

const keyOf = (connections: string, applicationId: string): string => `${connections} ${applicationId}`

function wait({ waiting }: Share, signal: EventEmitter): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  waiting.push(resolve)
  signal.once('abort', () => {
    const place = waiting.indexOf(resolve)
    if (place === -1) return
    waiting.splice(place, 1)
    reject(new Error('gave up waiting for one of the caller places at the service'))
  })
  return promise
}
