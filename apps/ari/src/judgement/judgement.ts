import type { AriUpdateWrite, AriWarning, AriWrite } from '@connectivity/contracts/ari'
import type { AppliedUpdate } from '@connectivity/contracts/ari-events'
import { decimalsOf } from '@connectivity/service-kit/text'
import type { PropertyCatalog } from '../catalogs/property-catalog.js'
import { ANY_OCCUPANCY, type Assignment } from './assignment.js'
import type { Day } from '../calendar/calendar.js'
import type { Fault } from './fault.js'
import { type CellRun, TargetFold } from './fold.js'
import { assignmentsOf } from './update-assignments.js'
import { daysOf } from './update-days.js'
import { targetOf, type UpdateTarget } from './update-target.js'

/** Most cells of one call. */
const MAX_CELLS = 50_000
/**
 * Most prices of one call. A cell of a plan priced per occupancy has up to one for each occupancy, and each is a row:
 * 500,000 take PostgreSQL 2.6 s of CPU, and 50 for each of 50,000 cells took longer than the caller waits.
 */
const MAX_PRICES = 500_000

/** Result of judging a call without the stored cells. */
export interface Judgement {
  faults: Fault[]
  /** Runs of the valid values; empty for a call with too many cells or prices. */
  runs: CellRun[]
  /** Warnings on updates that are applied anyway, at most one each. */
  warnings: AriWarning[]
  /** Number of cells that the call names. */
  cells: number
  /** Currency that the call names; null if it names none or one that ISO 4217 does not know. */
  currency: string | null
  /** The updates with the service's ids; complete only without faults. */
  updates: AppliedUpdate[]
}

/**
 * Judges a call against its connection's catalog.
 * @param today by the property's calendar
 * @returns every fault that does not depend on stored cells
 */
export function judge({ updates, currency }: AriWrite, catalog: PropertyCatalog, today: Day): Judgement {
  const faults: Fault[] = []
  const folds = new Map<string, TargetFold>()
  const targets: UpdateTarget[] = []
  const applied: AppliedUpdate[] = []
  updates.forEach((update, index) => {
    const pointer = `/updates/${index}`
    const target = targetOf(update, pointer, catalog, faults)
    const days = daysOf(update, pointer, today, faults)
    const assignments = assignmentsOf(update, pointer, target.ratePlan, faults)
    targets.push(target)
    if (!isKnown(target)) return
    foldOf(folds, target, today).add(days, assignments, faults)
    applied.push(appliedUpdate(update, target, assignments))
  })
  const warnings = updates.flatMap((update, index) => oversold(update, `/updates/${index}`, targets[index]!.room))
  const priced = targets.filter((_, index) => hasRates(updates[index]!))
  faults.push(...currencyFaults(priced, currency ?? null))
  const cells = sumOf(folds, (fold) => fold.cells)
  const prices = sumOf(folds, (fold) => fold.prices)
  const tooMany = [...tooManyOf('name', cells, 'cells', MAX_CELLS), ...tooManyOf('give', prices, 'prices', MAX_PRICES)]
  faults.push(...tooMany)
  const runs = tooMany.length > 0 ? [] : [...folds.values()].flatMap((fold) => [...fold.runs()])
  return { faults, runs, warnings, cells, currency: knownCurrency(currency), updates: applied }
}

/** Without amounts, any text is accepted as the currency; only a real one is passed on. */
const knownCurrency = (currency: string | null | undefined): string | null =>
  currency && decimalsOf(currency) !== undefined ? currency : null

/** More units than the room has are a warning, not a fault, because hotels oversell on purpose. */
function oversold({ availability = 0 }: AriUpdateWrite, pointer: string, room: UpdateTarget['room']): AriWarning[] {
  if (!room || availability <= room.total_units) return []
  const units = room.total_units === 1 ? '1 unit' : `${room.total_units} units`
  const message = `The room has ${units}; lower \`availability\` unless you oversell on purpose.`
  return [{ code: 'above_total_units', pointer: `${pointer}/availability`, message }]
}

interface KnownTarget {
  room: NonNullable<UpdateTarget['room']>
  ratePlan: Exclude<UpdateTarget['ratePlan'], null>
}

const isKnown = (target: UpdateTarget): target is KnownTarget => target.room !== null && target.ratePlan !== null

function foldOf(folds: Map<string, TargetFold>, { room, ratePlan }: KnownTarget, today: Day): TargetFold {
  const ids = { roomId: room.service_id, ratePlanId: ratePlan?.service_id ?? null }
  // Ids hold no unit separators (contracts: MessageFields.id).
  const key = `${ids.roomId}\x1f${ids.ratePlanId ?? ''}`
  const known = folds.get(key)
  if (known) return known
  const fold = new TargetFold({ number: folds.size, ...ids }, today)
  folds.set(key, fold)
  return fold
}

const hasRates = ({ rates }: AriUpdateWrite): boolean => rates !== undefined && rates.length > 0

function currencyFaults(priced: readonly UpdateTarget[], currency: string | null): Fault[] {
  if (priced.length === 0) return []
  const pointer = '/currency'
  if (currency === null) {
    const message = 'Name the currency of the rates; none is assumed.'
    return [{ pointer, code: 'currency_required', message }]
  }
  const wanted = new Set(priced.flatMap(({ ratePlan }) => (ratePlan ? [ratePlan.currency] : [])))
  return [...wanted]
    .filter((one) => one !== currency || decimalsOf(one) === undefined)
    .map((one) => ({ pointer, code: 'currency_mismatch', message: mismatchMessage(one) }))
}

const mismatchMessage = (currency: string): string =>
  decimalsOf(currency) === undefined
    ? `A rate plan is in ${currency}, which ISO 4217 does not know; contact operations.`
    : `A rate plan of this call is in ${currency}; send its rates in ${currency}, spelled exactly like this.`

const sumOf = (folds: ReadonlyMap<string, TargetFold>, count: (fold: TargetFold) => number): number =>
  folds.values().reduce((sum, fold) => sum + count(fold), 0)

function tooManyOf(verb: string, count: number, what: string, most: number): Fault[] {
  if (count <= most) return []
  const message = `The updates ${verb} ${count} ${what}; send at most ${most} in one call.`
  return [{ pointer: '/updates', code: 'too_many_cells', message }]
}

function appliedUpdate(
  { date_from, date_to, days_of_week, availability, restrictions }: AriUpdateWrite,
  { room, ratePlan }: KnownTarget,
  assignments: readonly Assignment[],
): AppliedUpdate {
  const rates = assignments
    .filter(({ field }) => field === 'amount')
    .map(({ occupancy, value }) => ({
      ...(occupancy === ANY_OCCUPANCY ? {} : { occupancy }),
      amount: value as string,
    }))
  return {
    room_id: room.service_id,
    ...(ratePlan && { rate_plan_id: ratePlan.service_id }),
    date_from,
    date_to,
    ...(days_of_week && { days_of_week }),
    ...(availability !== undefined && { availability }),
    ...(rates.length > 0 && { rates }),
    ...(restrictions && { restrictions }),
  }
}
