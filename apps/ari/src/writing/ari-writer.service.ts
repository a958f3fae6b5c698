import { Injectable } from '@nestjs/common'
import type { AriWrite, AriWritten } from '@connectivity/contracts/ari'
import type { Transaction } from '@connectivity/database'
import type { PropertyCatalog } from '../catalogs/property-catalog.js'
import { countCells, countFaults } from './ari-metrics.js'
import { AriUpdatesPublisher } from './ari-updates.publisher.js'
import { today } from '../calendar/calendar.js'
import { CellStore } from '../cells/cell.store.js'
import { rejection } from '../judgement/fault.js'
import type { CellRun } from '../judgement/fold.js'
import { type Judgement, judge } from '../judgement/judgement.js'
import { PropertyStore } from '../cells/property.store.js'
import type { SeriesNumbers } from '../judgement/series.js'
import { SeriesStore } from '../cells/series.store.js'
import { givesStays, stayFaults } from '../judgement/stay-faults.js'
import { writtenAnswer } from './written.view.js'

/** Applies the updates of a call: all of them or none. */
@Injectable()
export class AriWriter {
  constructor(
    private readonly properties: PropertyStore,
    private readonly series: SeriesStore,
    private readonly cells: CellStore,
    private readonly publisher: AriUpdatesPublisher,
  ) {}

  /**
   * @param deadline latest time to wait for the property, ms since 1970
   * @throws ServiceError 422 `ari_rejected`, `currency_required` or `currency_mismatch` with every fault
   */
  async write(tx: Transaction, catalog: PropertyCatalog, body: AriWrite, deadline: number): Promise<AriWritten> {
    const judgement = judge(body, catalog, today(catalog.timezone, Date.now()))
    const { connectionId, propertyId, timezone } = catalog
    const { runs, currency, updates, cells } = judgement
    const keys = seriesOf(runs)
    const found = this.series.find(tx, propertyId, keys)
    const locking = { propertyId, connectionId, timezone, deadline }
    const [seen, before] = await Promise.all([found, this.properties.lock(tx, locking)])
    // Numbers never change, but a series without one may have got it before the lock was granted.
    const known = seen.size === keys.length ? seen : await this.series.find(tx, propertyId, keys)
    await this.checkMerged(tx, judgement, known)
    const numbers = await this.series.ensure(tx, propertyId, keys, known)
    const writing = { propertyId, connectionId, timezone, revision: before + 1, currency }
    const written = await this.cells.write(tx, runs, numbers, writing)
    const applied = { ari_revision: written > 0 ? before + 1 : before, applied_at: new Date().toISOString() }
    if (written > 0) {
      const updated = { property_id: propertyId, connection_id: connectionId, ...applied, currency, updates }
      this.publisher.publish(tx, [updated])
    }
    tx.afterCommit(() => countCells({ written, unchanged: cells - written }))
    return writtenAnswer(body, applied, { ...judgement, written })
  }

  /**
   * Returns the answer that `write` would give now, but with the current revision. Writes and locks nothing.
   * @throws ServiceError 422 as `write`
   */
  async dryRun(tx: Transaction, catalog: PropertyCatalog, body: AriWrite): Promise<AriWritten> {
    const now = new Date()
    const judgement = judge(body, catalog, today(catalog.timezone, now.getTime()))
    const ari_revision = await this.properties.currentRevision(tx, catalog.propertyId)
    const numbers = await this.series.find(tx, catalog.propertyId, seriesOf(judgement.runs))
    await this.checkMerged(tx, judgement, numbers)
    const { runs, currency } = judgement
    const written = await this.cells.compare(tx, runs, numbers, currency)
    return writtenAnswer(body, { ari_revision, applied_at: now.toISOString() }, { ...judgement, written })
  }

  private async checkMerged(tx: Transaction, { runs, faults }: Judgement, numbers: SeriesNumbers): Promise<void> {
    const withStays = runs.filter(givesStays)
    const found = withStays.length === 0 ? [] : await this.cells.contradictions(tx, withStays, numbers)
    const all = [...faults, ...stayFaults(found)]
    if (all.length === 0) return
    countFaults(all)
    throw rejection(all)
  }
}

/** Distinct series of the runs; all runs of a series share one object. */
const seriesOf = (runs: readonly CellRun[]) => [...new Set(runs.map(({ series }) => series))]
