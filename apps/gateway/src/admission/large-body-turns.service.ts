import { Injectable } from '@nestjs/common'
import { RestingTurns } from './resting-turns.js'

/** Size from which a body takes milliseconds to parse and check, bytes. */
const LARGE = 64 * 1024

/**
 * Turns for parsing and checking large bodies. All applications together use at most half of the process's time for it,
 * one alone at most a fifth, so that other requests wait for one body and not for all.
 */
@Injectable()
export class LargeBodyTurns {
  private readonly turns = new RestingTurns({ own: 4, all: 1 })

  /** Returns at once for a small body, otherwise when its turn comes; the caller must then process it synchronously. */
  async take(applicationId: string, bytes: number): Promise<void> {
    if (bytes >= LARGE) await this.turns.take(applicationId)
  }
}
