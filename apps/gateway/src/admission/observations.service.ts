import { EventEmitter } from 'node:events'
import { Injectable } from '@nestjs/common'
import type { LiveCredential } from '../live/live-credential.js'

interface Seen {
  /** Admission refused a property that is not the caller's. */
  denied: [credential: LiveCredential, correlationId: string]
  /** An answer about a connection was served; `named` is the owner's evidence header (libs/contracts/evidence). */
  shown: [connectionId: string, named: string, correlationId: string]
}

/** Observations from partners' requests, for the grading of pilots. */
@Injectable()
export class Observations extends EventEmitter<Seen> {}
