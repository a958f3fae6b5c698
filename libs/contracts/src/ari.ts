import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  ValidateBy,
  ValidateIf,
} from 'class-validator'
import type { CalendarDay, CurrencyCode, DecimalText, Integer, Timestamp } from './field-types.js'
import { CalendarDate, Line, MAX_ID, Nested, NestedList, Optional, SourceId } from './validation.js'

/** Monday first, as ISO 8601 counts. */
export const daysOfWeek = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type DayOfWeek = (typeof daysOfWeek)[number]

/** Updates of one call. */
const MAX_UPDATES = 1_000
/** Rates of one update: one for each occupancy. */
const MAX_RATES = 50

/** Readable as a decimal number; whether it is one that the currency allows is judged later. */
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/

const rule = (name: string, message: string, accepts: (value: unknown, object: AriUpdateWrite) => boolean) =>
  ValidateBy({
    name,
    validator: {
      validate: (value, args) => accepts(value, args!.object as AriUpdateWrite),
      defaultMessage: () => message,
    },
  })

/** An id of one kind only: the service's own or the partner's. */
const InsteadOf = (other: 'room_id' | 'rate_plan_id'): PropertyDecorator =>
  rule(
    'insteadOf',
    `must not stand beside ${other}; send one of the two`,
    (_value, object) => object[other] === undefined,
  )

const namesRatePlan = ({ rate_plan_id, external_rate_plan_id }: AriUpdateWrite): boolean =>
  rate_plan_id !== undefined || external_rate_plan_id !== undefined

const WithRatePlan = (): PropertyDecorator =>
  rule('withRatePlan', 'belongs to a rate plan; name one beside it', (_value, object) => namesRatePlan(object))

const WithoutRatePlan = (): PropertyDecorator =>
  rule('withoutRatePlan', 'belongs to the room alone; leave the rate plan out', (_value, o) => !namesRatePlan(o))

/** A price for a night. */
export class RateWrite {
  /** Guests; for rate plans that are priced per occupancy, and only for them. */
  @Optional()
  @IsInt()
  occupancy?: Integer

  @IsString()
  @Matches(DECIMAL, { message: 'amount must be a decimal string such as "110.00"' })
  amount: string
}

/** Absent leaves a restriction as it is, null clears it. Stays are nights. */
export class RestrictionsWrite {
  @IsOptional()
  @IsInt()
  min_stay_arrival?: Integer | null

  @IsOptional()
  @IsInt()
  min_stay_through?: Integer | null

  @IsOptional()
  @IsInt()
  max_stay?: Integer | null

  @IsOptional()
  @IsBoolean()
  closed_to_arrival?: boolean | null

  @IsOptional()
  @IsBoolean()
  closed_to_departure?: boolean | null

  @IsOptional()
  @IsBoolean()
  stop_sell?: boolean | null
}

/** What holds for some days of one room, or of one rate plan in one room. */
export class AriUpdateWrite {
  @ValidateIf(({ room_id, external_room_id }) => room_id !== undefined || external_room_id === undefined)
  @SourceId()
  room_id?: string

  @Optional()
  @Line(MAX_ID)
  @InsteadOf('room_id')
  external_room_id?: string

  @Optional()
  @SourceId()
  rate_plan_id?: string

  @Optional()
  @Line(MAX_ID)
  @InsteadOf('rate_plan_id')
  external_rate_plan_id?: string

  @CalendarDate()
  date_from: string

  /** Inclusive. */
  @CalendarDate()
  date_to: string

  /** The days of the range that are meant; absent: all of them. */
  @Optional()
  @IsArray()
  @ArrayMaxSize(daysOfWeek.length)
  @IsIn(daysOfWeek, { each: true })
  days_of_week?: DayOfWeek[]

  /** Units that can be sold. */
  @Optional()
  @IsInt()
  @WithoutRatePlan()
  availability?: Integer

  @Optional()
  @NestedList(() => RateWrite)
  @ArrayMaxSize(MAX_RATES)
  @WithRatePlan()
  rates?: RateWrite[]

  @Optional()
  @Nested(() => RestrictionsWrite)
  @WithRatePlan()
  restrictions?: RestrictionsWrite
}

/** What is to change; all of it or nothing. */
export class AriWrite {
  @Line(MAX_ID)
  property_id: string

  /** ISO 4217 code of every amount in the call; there is no default. */
  @IsOptional()
  @IsString()
  currency?: string | null

  @NestedList(() => AriUpdateWrite)
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_UPDATES)
  updates: AriUpdateWrite[]
}

/** The restrictions of a day; null where none is set. */
export interface Restrictions {
  min_stay_arrival: Integer | null
  min_stay_through: Integer | null
  max_stay: Integer | null
  closed_to_arrival: boolean | null
  closed_to_departure: boolean | null
  stop_sell: boolean | null
}

/** What came of a write. */
export interface AriWritten {
  schema_version: string
  property_id: string
  /** Rises by one with every call that changes a cell of the property, whichever connection made it. */
  ari_revision: Integer
  /** When it was applied; of a dry run, when it was judged. */
  applied_at: Timestamp
  /** Number of updates in the call. */
  updates: Integer
  /** Cells, that is days of a room or of a rate plan in a room, that are different now. */
  cells_written: Integer
  cells_unchanged: Integer
  /** What was applied all the same, in the order of the updates; empty when nothing is remarkable. */
  warnings: AriWarning[]
}

/** Something of a call that may be meant and may be a slip; it keeps nothing from being applied. */
export interface AriWarning {
  /** `above_total_units`: more units of a room are for sale than its `total_units` in GET /catalog/rooms. */
  code: 'above_total_units'
  /** JSON pointer into the body, `/updates/0/availability`. */
  pointer: string
  message: string
}

/** The cells of a period that were ever written. */
export interface AriState {
  schema_version: string
  property_id: string
  date_from: CalendarDay
  date_to: CalendarDay
  ari_revision: Integer
  rooms: {
    room_id: string
    external_room_id: string | null
    days: { date: CalendarDay; availability: Integer | null }[]
  }[]
  rate_plans: {
    rate_plan_id: string
    external_rate_plan_id: string | null
    room_id: string
    external_room_id: string | null
    currency: CurrencyCode
    days: {
      date: CalendarDay
      rates: { occupancy: Integer | null; amount: DecimalText }[]
      restrictions: Restrictions
    }[]
  }[]
}
