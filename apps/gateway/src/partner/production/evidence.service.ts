import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { completeMappingVersion, type PageEvidence } from '@connectivity/contracts/evidence'
import type { ChecklistCode } from '@connectivity/contracts/production'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import type { LiveCredential } from '../../live/live-credential.js'
import { Observations } from '../../admission/observations.service.js'
import { EvidenceStore } from '../../registry/production/evidence.store.js'

/** Checklist item that each kind of evidence passes. */
const shownBy: Record<PageEvidence, ChecklistCode> = {
  'full-pull-end': 'initial_pull_completed',
  created: 'new_reservation_seen',
  modified: 'modification_seen',
  cancelled: 'cancellation_seen',
}

/** Most observations remembered as recorded; above this all are forgotten at once. */
const REMEMBERED = 50_000
/** Time before an observation that could not be recorded is tried again, ms. */
const PAUSE = 500

/**
 * Grades pilots from the traffic through this gateway. Recording runs in the background: the answer never waits for it
 * or fails with it. An observation that could not be recorded is seen again at the next such request.
 */
@Injectable()
export class Evidence implements OnModuleInit {
  private readonly recorded = new Set<string>()
  private readonly inFlight = new Set<Promise<void>>()

  constructor(
    private readonly store: EvidenceStore,
    private readonly observations: Observations,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.observations.on('denied', (credential, correlationId) => this.denied(credential, correlationId))
    this.observations.on('shown', (...shown) => this.shown(...shown))
  }

  /** Notes that an answer of GET /properties listed the connections. */
  listed(connectionIds: readonly string[], correlationId: string): void {
    this.once(connectionIds, 'credentials_issued', correlationId)
  }

  private shown(connectionId: string, named: string, correlationId: string): void {
    for (const evidence of named.split(',')) {
      const version = completeMappingVersion(evidence)
      const code = shownBy[evidence as PageEvidence]
      if (version !== null) this.note(() => this.store.recordCompleteMapping(connectionId, version, correlationId))
      else if (code) this.once([connectionId], code, correlationId)
    }
  }

  private denied({ applicationId, connectionId, ownConnectionOnly }: LiveCredential, correlationId: string): void {
    this.note(() => this.store.recordDenial(applicationId, ownConnectionOnly ? connectionId : null, correlationId))
  }

  /** Resolves when recording of everything seen so far has succeeded or failed. */
  async settled(): Promise<void> {
    await Promise.all(this.inFlight)
  }

  private once(connectionIds: readonly string[], code: ChecklistCode, correlationId: string): void {
    const keys = connectionIds.map((id) => `${code} ${id}`)
    const fresh = connectionIds.filter((_id, index) => !this.recorded.has(keys[index]!))
    if (fresh.length === 0) return
    if (this.recorded.size > REMEMBERED) this.recorded.clear()
    for (const key of keys) this.recorded.add(key)
    const forget = () => keys.forEach((key) => this.recorded.delete(key))
    this.note(() => this.store.record(fresh, code, correlationId), forget)
  }

  /** Records at once, and a second time after a pause: a partner may show an item only once. */
  private note(record: () => Promise<void>, onFailure: () => void = () => undefined): void {
    const done = record()
      .catch(() => delay(PAUSE).then(record))
      .catch((err: unknown) => {
        onFailure()
        this.log.warn({ err }, 'evidence of a pilot was not recorded')
      })
      .finally(() => this.inFlight.delete(done))
    this.inFlight.add(done)
  }
}
