import { EventEmitter } from 'node:events'
import { Injectable } from '@nestjs/common'
import type { LiveCredential } from '../live/live-credential.js'

interface Seen {
  /** A property that is not the caller's was refused. */
  denied: [credential: LiveCredential, correlationId: string]
  /** An answer about a connection was served; `named` is what its owner says it showed (libs/contracts/evidence). */
  shown: [connectionId: string, named: string, correlationId: string]
}

/** What partners' requests show on their way, for the grading of pilots. */
@Injectable()
export class Observations extends EventEmitter<Seen> {}
