import { Inject, Injectable } from '@nestjs/common'
import { completeMappingVersion, type PageEvidence } from '@connectivity/contracts/evidence'
import type { ChecklistCode } from '@connectivity/contracts/production'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import type { LiveCredential } from '../credentials/live-credentials.js'
import { EvidenceStore } from './evidence.store.js'

/** What each thing that a page showed stands for. */
const shownBy: Record<PageEvidence, ChecklistCode> = {
  'full-pull-end': 'initial_pull_completed',
  created: 'new_reservation_seen',
  modified: 'modification_seen',
  cancelled: 'cancellation_seen',
}

/** Observations remembered as recorded; forgotten all at once when there are more. */
const REMEMBERED = 50_000

/**
 * Grades pilots from what passes through this gateway. Recording goes on beside the answer, which never waits for it
 * and never fails with it: what could not be recorded is seen again at the next such request.
 */
@Injectable()
export class Evidence {
  private readonly recorded = new Set<string>()
  private readonly underway = new Set<Promise<void>>()

  constructor(
    private readonly store: EvidenceStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** The connections were in an answer of GET /properties. */
  listed(connectionIds: readonly string[], correlationId: string): void {
    this.once(connectionIds, 'credentials_issued', correlationId)
  }

  /**
   * An answer of the connection's was served.
   * @param named what the owner says it showed: see libs/contracts/evidence
   */
  shown(connectionId: string, named: string, correlationId: string): void {
    for (const evidence of named.split(',')) {
      const version = completeMappingVersion(evidence)
      const code = shownBy[evidence as PageEvidence]
      if (version !== null) this.note(this.store.recordCompleteMapping(connectionId, version, correlationId))
      else if (code) this.once([connectionId], code, correlationId)
    }
  }

  /** A property that is not the caller's was refused. */
  denied({ applicationId, connectionId, ownConnectionOnly }: LiveCredential, correlationId: string): void {
    this.note(this.store.recordDenial(applicationId, ownConnectionOnly ? connectionId : null, correlationId))
  }

  /** Resolves when everything seen so far has been recorded, or could not be. */
  async settled(): Promise<void> {
    await Promise.all(this.underway)
  }

  private once(connectionIds: readonly string[], code: ChecklistCode, correlationId: string): void {
    const keys = connectionIds.map((id) => `${code} ${id}`)
    const fresh = connectionIds.filter((_id, index) => !this.recorded.has(keys[index]!))
    if (fresh.length === 0) return
    if (this.recorded.size > REMEMBERED) this.recorded.clear()
    for (const key of keys) this.recorded.add(key)
    const forget = () => keys.forEach((key) => this.recorded.delete(key))
    this.note(this.store.record(fresh, code, correlationId), forget)
  }

  private note(recording: Promise<void>, onFailure: () => void = () => undefined): void {
    const done = recording
      .catch((err: unknown) => {
        onFailure()
        this.log.warn({ err }, 'evidence of a pilot was not recorded')
      })
      .finally(() => this.underway.delete(done))
    this.underway.add(done)
  }
}
