import { Injectable } from '@nestjs/common'
import { Database, type Transaction } from '@connectivity/database'
import { answersBefore, storeAnswers } from '@connectivity/mutations'
import { countCells, countFaults } from './ari-metrics.js'
import { AriUpdatesPublisher } from './ari-updates.publisher.js'
import { today } from '../calendar/calendar.js'
import type { Call } from './call.js'
import { GroupCellStore, type NumberedCell } from '../cells/group-cell.store.js'
import { type GroupJudgement, judgeGroup, type JudgedCall, type Outcome } from './group-judgement.js'
import { judge } from '../judgement/judgement.js'
import { type LockedProperty, lockedProperty } from '../cells/locked-property.js'
import { type Locking, PropertyStore } from '../cells/property.store.js'
import { seriesKeyText } from '../judgement/series.js'
import { SeriesStore } from '../cells/series.store.js'

/** Applies a group of small calls in one transaction, each with its own judgement, answer, revision and key. */
@Injectable()
export class GroupWriter {
  constructor(
    private readonly database: Database,
    private readonly properties: PropertyStore,
    private readonly series: SeriesStore,
    private readonly cells: GroupCellStore,
    private readonly publisher: AriUpdatesPublisher,
  ) {}

  /**
   * Applies the calls in order.
   * @param locking property to wait for, the same for all calls; null: skip locked properties, their calls are busy
   * @returns an outcome for each call
   * @throws the database's error with nothing applied; 55P03 if the locks are not granted by the deadline
   */
  async apply(calls: readonly Call[], locking: Locking | null): Promise<Outcome[]> {
    const judged = calls.map((call) => ({ ...call, judgement: judgementOf(call) }))
    const { outcomes, cells, faults } = await this.database.transaction((tx) => this.write(tx, judged, locking))
    countCells(cells)
    faults.forEach(countFaults)
    return outcomes
  }

  private async write(tx: Transaction, calls: readonly JudgedCall[], locking: Locking | null): Promise<GroupJudgement> {
    const mutations = calls.map(({ mutation }) => mutation)
    const [before, properties] = await Promise.all([answersBefore(tx, mutations), this.lock(tx, calls, locking)])
    const group = judgeGroup(calls, before, properties)
    const raised = [...properties.values()].filter(({ before, revision }) => revision > before)
    const changed: NumberedCell[] = []
    for (const property of raised) changed.push(...(await this.changedCells(tx, property)))
    this.cells.write(tx, changed, raised)
    this.publisher.publish(tx, group.updates)
    storeAnswers(tx, group.answered)
    return group
  }

  /** Locks properties and reads the cells that the calls may change; without `locking`, only unlocked properties. */
  private async lock(
    tx: Transaction,
    calls: readonly JudgedCall[],
    locking: Locking | null,
  ): Promise<Map<string, LockedProperty>> {
    const catalogs = new Map(calls.map(({ catalog }) => [catalog.propertyId, catalog]))
    const runs = calls.flatMap(({ catalog: { propertyId }, judgement }) =>
      judgement.runs.map((run) => ({ ...run, propertyId })),
    )
    const [revisions, stored] = locking
      ? [await this.waitFor(tx, locking), await this.cells.read(tx, runs)]
      : // The read is sent together with the locks, but begins after they have been granted.
        await Promise.all([this.properties.tryLock(tx, [...catalogs.values()]), this.cells.read(tx, runs)])
    const found = Map.groupBy(stored, ({ run }) => run.propertyId)
    const property = (propertyId: string, revision: number): LockedProperty =>
      lockedProperty(
        { propertyId, timezone: catalogs.get(propertyId)!.timezone, revision },
        found.get(propertyId) ?? [],
      )
    return new Map([...revisions].map(([id, revision]) => [id, property(id, revision)]))
  }

  private async waitFor(tx: Transaction, locking: Locking): Promise<Map<string, number>> {
    return new Map([[locking.propertyId, await this.properties.lock(tx, locking)]])
  }

  /** The changed cells with the numbers of their series; a series without one gets it. */
  private async changedCells(tx: Transaction, { propertyId, cells, numbers }: LockedProperty): Promise<NumberedCell[]> {
    const changed = cells.changed()
    const keys = [...new Map(changed.map(({ series }) => [seriesKeyText(series), series])).values()]
    const known = await this.series.ensure(tx, propertyId, keys, numbers)
    return changed.map((cell) => ({ ...cell, seriesNumber: known.get(seriesKeyText(cell.series))! }))
  }
}

const judgementOf = ({ body, catalog }: Call) => judge(body, catalog, today(catalog.timezone, Date.now()))
