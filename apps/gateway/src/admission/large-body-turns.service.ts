import { Injectable } from '@nestjs/common'
import { Counts, RestingTurns } from '@connectivity/service-kit/work'
import { readStrictJsonInSlices, type StrictReading } from '@connectivity/service-kit/http'
import { OverBudget } from '../http/requests/body-refusals.js'

const KIB = 1024
/** Longest body of a call that takes no list, bytes; a longer one takes more than a millisecond to parse and check. */
const SMALL = 16 * KIB
/** Most bytes of an application's waiting bodies. Bodies of clients that have disconnected count until their turn. */
const MOST_WAITING = 32 * KIB * KIB

/** Whether a body waits for turns. */
export const isLarge = ({ length }: Buffer): boolean => length > SMALL

/**
 * Turns for parsing and checking large bodies. All applications together use at most half of the process's time for it,
 * one alone at most a sixteenth, and a body is parsed in slices, so that other requests wait for a slice and not for
 * all.
 */
@Injectable()
export class LargeBodyTurns {
  private readonly turns = new RestingTurns({ own: 15, all: 1 })
  /** Bytes that wait, by application. */
  private readonly waiting = new Counts()

  /**
   * Reads the JSON of a large body when its turn comes.
   * @throws ServiceError 503 when too much of the application waits
   */
  read(applicationId: string, body: Buffer): Promise<StrictReading> {
    return this.counted(applicationId, body, () => this.turns.runInSlices(applicationId, readStrictJsonInSlices(body)))
  }

  /**
   * Does synchronous work on a large body when its turn comes.
   * @throws ServiceError 503 when too much of the application waits; what `work` throws
   */
  run<T>(applicationId: string, body: Buffer, work: () => T): Promise<T> {
    return this.counted(applicationId, body, () => this.turns.run(applicationId, work))
  }

  private async counted<T>(applicationId: string, { length }: Buffer, work: () => Promise<T>): Promise<T> {
    if (this.waiting.of(applicationId) + length > MOST_WAITING) throw new OverBudget()
    this.waiting.add(applicationId, length)
    try {
      return await work()
    } finally {
      this.waiting.add(applicationId, -length)
    }
  }
}
