import type { AriState, AriUpdateWrite, AriWrite, RateWrite, Restrictions } from '@connectivity/contracts/ari'
import type { CatalogRatePlan, CatalogRoom } from '@connectivity/contracts/catalog-events'
import { connectionCatalog } from './catalog.js'
import { unrestricted } from './property-under-test.js'

const catalog = connectionCatalog()
const DECIMALS: Record<string, number> = { EUR: 2, JPY: 0 }
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const DAY = 86_400_000

const dateAt = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10)

interface Cell {
  availability: number | null
  rates: Record<string, string>
  restrictions: Restrictions
}
/** Cells by room, rate plan and date. */
type Cells = Map<string, Cell>

const emptyCell = (): Cell => ({ availability: null, rates: {}, restrictions: { ...unrestricted } })

/** Values that the call gives to a cell, with their pointers. */
type Given = Map<string, { value: unknown; pointer: string }>

interface Outcome {
  faults: string[]
  before: number
  revision: number
  written: number
  unchanged: number
}

/** The rules of inventory in the plainest form: one day after the other, everything in a Map. */
export class ModelInventory {
  revision = 0
  private cells: Cells = new Map()

  /** @param today as a number of days since 1970 */
  constructor(private readonly today: number) {}

  apply({ updates, currency }: AriWrite): Outcome {
    const faults: string[] = []
    const given = new Map<string, Given>()
    updates.forEach((update, index) => this.read(update, `/updates/${index}`, given, faults))
    faults.push(...currencyFaults(updates, currency ?? null))
    const after = new Map([...given].map(([key, fields]) => [key, merge(this.cells.get(key) ?? emptyCell(), fields)]))
    const contradictions = [...after].flatMap(([key, { restrictions }]) => stayFaults(restrictions, given.get(key)!))
    faults.push(...new Set(contradictions))
    const before = this.revision
    if (faults.length > 0) return { faults: faults.toSorted(), before, revision: before, written: 0, unchanged: 0 }
    const changed = [...after].filter(([key, cell]) => differs(this.cells.get(key) ?? emptyCell(), cell))
    for (const [key, cell] of changed) this.cells.set(key, cell)
    if (changed.length > 0) this.revision++
    const unchanged = given.size - changed.length
    return { faults: [], before, revision: this.revision, written: changed.length, unchanged }
  }

  /** Returns the answer of GET /ari for yesterday and the 91 days after it. */
  state(): AriState {
    const dates = Array.from({ length: 92 }, (_, index) => dateAt(this.today - 1 + index))
    const daysOf = (room: string, plan: string) =>
      dates.flatMap((date) => {
        const cell = this.cells.get(`${room}|${plan}|${date}`)
        return cell ? [{ date, cell }] : []
      })
    const names = (entity: { service_id: string; external_id: string | null }, kind: 'room' | 'rate_plan') => ({
      [`${kind}_id`]: entity.service_id,
      [`external_${kind}_id`]: entity.external_id,
    })
    const rooms = catalog.rooms.map((room) => ({
      ...names(room, 'room'),
      days: daysOf(room.service_id, '').map(({ date, cell }) => ({ date, availability: cell.availability })),
    }))
    const rate_plans = catalog.rate_plans.flatMap((plan) =>
      catalog.rooms.map((room) => ({
        ...names(plan, 'rate_plan'),
        ...names(room, 'room'),
        currency: plan.currency,
        days: daysOf(room.service_id, plan.service_id).map(({ date, cell }) => ({
          date,
          rates: Object.entries(cell.rates).map(([occupancy, amount]) => ({
            occupancy: occupancy === '0' ? null : Number(occupancy),
            amount,
          })),
          restrictions: cell.restrictions,
        })),
      })),
    )
    const written = <T extends { days: unknown[] }>(list: T[]) => list.filter(({ days }) => days.length > 0)
    return {
      schema_version: '1.0.0',
      property_id: 'con_1',
      date_from: dates[0]!,
      date_to: dates[91]!,
      ari_revision: this.revision,
      rooms: written(rooms),
      rate_plans: written(rate_plans),
    } as unknown as AriState
  }

  private read(update: AriUpdateWrite, pointer: string, given: Map<string, Given>, faults: string[]): void {
    const { room, plan, found } = named(update, pointer)
    const dates = this.datesOf(update, pointer, faults)
    const fields = fieldsOf(update, pointer, plan, faults)
    faults.push(...found)
    if (found.some((fault) => fault.includes('unknown'))) return
    const keys = dates.map((date) => `${room!.service_id}|${plan?.service_id ?? ''}|${date}`)
    for (const key of keys) if (fields.length > 0 && !given.has(key)) given.set(key, new Map())
    faults.push(...new Set(fields.flatMap((field) => keys.flatMap((key) => give(given.get(key)!, field)))))
  }

  private datesOf({ date_from, date_to, days_of_week }: AriUpdateWrite, pointer: string, faults: string[]): string[] {
    const dates = { date_from, date_to }
    const inverted = date_to < date_from
    const [first, last] = inverted ? (['date_to', 'date_from'] as const) : (['date_from', 'date_to'] as const)
    const found: string[] = []
    if (inverted) found.push(`${pointer}/date_to date_range_inverted`)
    if (dates[first] < dateAt(this.today)) found.push(`${pointer}/${first} date_in_past`)
    if (dates[last] > dateAt(this.today + 730)) found.push(`${pointer}/${last} date_beyond_horizon`)
    faults.push(...found)
    if (found.length > 0) return []
    const all: string[] = []
    for (let time = Date.parse(date_from); time <= Date.parse(date_to); time += DAY) all.push(dateAt(time / DAY))
    const meant = all.filter((date) => (days_of_week ?? WEEKDAYS).includes(WEEKDAYS[new Date(date).getUTCDay()]!))
    if (meant.length === 0) faults.push(`${pointer}/days_of_week empty_update`)
    return meant
  }
}

/** @returns the fault if another value was given before */
function give(cell: Given, { name, value, pointer }: Field): string[] {
  const known = cell.get(name)
  if (!known) cell.set(name, { value, pointer })
  return known && known.value !== value ? [`${pointer} conflicting_update`] : []
}

function named(update: AriUpdateWrite, pointer: string) {
  const { room_id, external_room_id, rate_plan_id, external_rate_plan_id } = update
  const room = catalog.rooms.find((one) => isMeant(one, room_id, external_room_id))
  const plan = catalog.rate_plans.find((one) => isMeant(one, rate_plan_id, external_rate_plan_id))
  const planField = rate_plan_id === undefined ? 'external_rate_plan_id' : 'rate_plan_id'
  const roomField = room_id === undefined ? 'external_room_id' : 'room_id'
  const found: string[] = []
  if (!room) found.push(`${pointer}/${roomField} unknown_room`)
  if (!plan && update[planField] !== undefined) found.push(`${pointer}/${planField} unknown_rate_plan`)
  if (isUnsold(room, plan)) found.push(`${pointer}/${planField} rate_not_for_room`)
  return { room, plan, found }
}

const isMeant = (
  { service_id, external_id, status }: { service_id: string; external_id: string | null; status: string },
  id: string | undefined,
  external: string | undefined,
): boolean =>
  status === 'active' && (id === undefined ? external_id !== null && external_id === external : service_id === id)

const isUnsold = (room: CatalogRoom | undefined, plan: CatalogRatePlan | undefined): boolean =>
  room !== undefined && plan !== undefined && !plan.room_service_ids.includes(room.service_id)

interface Field {
  name: string
  value: unknown
  pointer: string
}

function fieldsOf(
  update: AriUpdateWrite,
  pointer: string,
  plan: CatalogRatePlan | undefined,
  faults: string[],
): Field[] {
  const { rates = [], restrictions = {} } = update
  const fields: Field[] = []
  if ('availability' in update) availabilityField(update.availability!, `${pointer}/availability`, fields, faults)
  else if (rates.length + Object.keys(restrictions).length === 0) faults.push(`${pointer} empty_update`)
  if (rates.length > 0) rateFields(rates, `${pointer}/rates`, plan ?? null, fields, faults)
  restrictionFields(restrictions, `${pointer}/restrictions`, fields, faults)
  return fields
}

function restrictionFields(given: object, pointer: string, fields: Field[], faults: string[]): void {
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    const isOutOfRange = typeof value === 'number' && (value < 1 || value > 365)
    if (isOutOfRange) faults.push(`${pointer}/${name} restriction_range`)
    else fields.push({ name, value, pointer: `${pointer}/${name}` })
  }
}

function availabilityField(value: number, pointer: string, fields: Field[], faults: string[]): void {
  if (value < 0) faults.push(`${pointer} availability_range`)
  else fields.push({ name: 'availability', value, pointer })
}

function rateFields(
  rates: readonly RateWrite[],
  pointer: string,
  plan: CatalogRatePlan | null,
  fields: Field[],
  faults: string[],
): void {
  if (!plan) faults.push(...rates.flatMap((rate, index) => rangeFaults(rate, `${pointer}/${index}`)))
  else if (plan.derived_from) faults.push(`${pointer} rate_plan_derived`)
  else rates.forEach((rate, index) => rateField(rate, `${pointer}/${index}`, plan, fields, faults))
}

const rangeFaults = ({ amount }: Pick<RateWrite, 'amount'>, pointer: string): string[] =>
  amount.startsWith('-') ? [`${pointer}/amount amount_range`] : []

function rateField(
  { occupancy, amount }: RateWrite,
  pointer: string,
  plan: CatalogRatePlan,
  fields: Field[],
  faults: string[],
): void {
  const decimals = DECIMALS[plan.currency]!
  const found: string[] = []
  if (!(plan.occupancies ?? [undefined]).some((one) => one === occupancy))
    found.push(`${pointer}/occupancy occupancy_range`)
  found.push(...rangeFaults({ amount }, pointer))
  if ((amount.split('.')[1] ?? '').length > decimals) found.push(`${pointer}/amount amount_precision`)
  faults.push(...found)
  if (found.length > 0) return
  fields.push({ name: `rate ${occupancy ?? 0}`, value: Number(amount).toFixed(decimals), pointer: `${pointer}/amount` })
}

function currencyFaults(updates: readonly AriUpdateWrite[], currency: string | null): string[] {
  const priced = updates.filter(({ rates }) => rates && rates.length > 0)
  if (priced.length > 0 && currency === null) return ['/currency currency_required']
  const plans = priced.map((u) =>
    catalog.rate_plans.find((one) => isMeant(one, u.rate_plan_id, u.external_rate_plan_id)),
  )
  const wrong = new Set(plans.flatMap((plan) => (plan && plan.currency !== currency ? [plan.currency] : [])))
  return [...wrong].map(() => '/currency currency_mismatch')
}

function merge(cell: Cell, given: Given): Cell {
  const after = structuredClone(cell)
  for (const [name, { value }] of given) {
    if (name === 'availability') after.availability = value as number
    else if (name.startsWith('rate ')) after.rates[name.slice(5)] = value as string
    else Object.assign(after.restrictions, { [name]: value })
  }
  return after
}

const differs = (one: Cell, other: Cell): boolean => JSON.stringify(one) !== JSON.stringify(other)

function stayFaults({ max_stay, ...restrictions }: Restrictions, given: Given): string[] {
  const tooLong = (['min_stay_arrival', 'min_stay_through'] as const).filter(
    (name) => restrictions[name] !== null && max_stay !== null && restrictions[name] > max_stay,
  )
  if (tooLong.length === 0) return []
  const blamed = tooLong.flatMap((name) => given.get(name) ?? [])
  return (blamed.length > 0 ? blamed : [given.get('max_stay')!]).map(({ pointer }) => `${pointer} min_gt_max`)
}
