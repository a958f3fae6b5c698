import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { completeMappingVersion, type PageEvidence } from '@connectivity/contracts/evidence'
import type { ChecklistCode } from '@connectivity/contracts/production'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { LRUCache } from 'lru-cache'
import type { LiveConnection } from '../../live/live-connection.js'
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

/** Most observations remembered as recorded; one that was forgotten is recorded again. */
const REMEMBERED = 50_000
/** Time before an observation that could not be recorded is tried again, ms. */
const PAUSE = 500

/**
 * Grades pilots from the traffic through this gateway. Recording runs in the background: an answer that shows an item
 * neither waits for it nor fails with it. Only the calls about the checklist wait, each for its own connection. An
 * observation that could not be recorded is seen again at the next such request.
 */
@Injectable()
export class Evidence implements OnModuleInit {
  private readonly recorded = new LRUCache<string, true>({ max: REMEMBERED })
  /** Recordings that have not ended, by the connection or the application they are about. */
  private readonly inFlight = new Map<string, Set<Promise<void>>>()

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
      if (version !== null)
        this.note([connectionId], () => this.store.recordCompleteMapping(connectionId, version, correlationId))
      else if (code) this.once([connectionId], code, correlationId)
    }
  }

  private denied({ applicationId, connectionId, ownConnectionOnly }: LiveCredential, correlationId: string): void {
    const only = ownConnectionOnly ? connectionId : null
    this.note([only ?? applicationId], () => this.store.recordDenial(applicationId, only, correlationId))
  }

  /** Resolves when recording of everything seen so far of the connection has succeeded or failed. */
  async settled({ connectionId, applicationId }: LiveConnection): Promise<void> {
    await Promise.all([connectionId, applicationId].flatMap((id) => [...(this.inFlight.get(id) ?? [])]))
  }

  private once(connectionIds: readonly string[], code: ChecklistCode, correlationId: string): void {
    const keys = connectionIds.map((id) => `${code} ${id}`)
    const fresh = connectionIds.filter((_id, index) => !this.recorded.get(keys[index]!))
    if (fresh.length === 0) return
    for (const key of keys) this.recorded.set(key, true)
    const forget = () => keys.forEach((key) => this.recorded.delete(key))
    this.note(fresh, () => this.store.record(fresh, code, correlationId), forget)
  }

  /**
   * Records at once, and a second time after a pause: a partner may show an item only once.
   * @param subjects connections or application that the observation is about
   */
  private note(
    subjects: readonly string[],
    record: () => Promise<void>,
    onFailure: () => void = () => undefined,
  ): void {
    const done = record()
      .catch(() => delay(PAUSE).then(record))
      .catch((err: unknown) => {
        onFailure()
        this.log.warn({ err }, 'evidence of a pilot was not recorded')
      })
      .finally(() => subjects.forEach((id) => this.ended(id, done)))
    for (const id of subjects) this.inFlight.set(id, (this.inFlight.get(id) ?? new Set()).add(done))
  }

  private ended(subject: string, recording: Promise<void>): void {
    const others = this.inFlight.get(subject)!
    others.delete(recording)
    if (others.size === 0) this.inFlight.delete(subject)
  }
}
