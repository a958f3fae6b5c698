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
import type {
  CalendarDay,
  CurrencyCode,
  DecimalText,
  ExternalRatePlanId,
  ExternalRoomId,
  Integer,
  PropertyId,
  SchemaVersion,
  ServiceId,
  Timestamp,
} from './field-types.js'
import { MAX_ID } from './message-fields.js'
import { CalendarDate, Line, Nested, NestedList, Optional, SourceId } from './validation.js'

/** Monday first, as ISO 8601 counts. */
export const daysOfWeek = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
/** Day of the week. */
export type DayOfWeek = (typeof daysOfWeek)[number]

/** Updates of one call. */
const MAX_UPDATES = 1_000
/** Rates of one update: one for each occupancy. */
const MAX_RATES = 50

/** A decimal number; whether the currency allows it is checked later. */
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/

const rule = (name: string, message: string, accepts: (value: unknown, object: AriUpdateWrite) => boolean) =>
  ValidateBy({
    name,
    validator: {
      validate: (value, args) => accepts(value, args!.object as AriUpdateWrite),
      defaultMessage: () => message,
    },
  })

/** Rejects an id beside the `other` one: an update carries either our id or the partner's. */
const InsteadOf = (other: 'room_id' | 'rate_plan_id'): PropertyDecorator =>
  rule(
    'insteadOf',
    `cannot be combined with ${other}; send one of the two`,
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
  /** Number of guests; only for rate plans priced per occupancy, which require it. */
  @Optional()
  @IsInt()
  occupancy?: Integer

  /** Decimal number as text, such as `110.00`. */
  @IsString()
  @Matches(DECIMAL, { message: 'amount must be a decimal string such as "110.00"' })
  amount: string
}

/** Absent leaves a restriction as it is, null clears it. Stays are nights. */
export class RestrictionsWrite {
  /** Fewest nights of a stay that arrives on this day; null clears it. */
  @IsOptional()
  @IsInt()
  min_stay_arrival?: Integer | null

  /** Fewest nights of a stay that includes this day; null clears it. */
  @IsOptional()
  @IsInt()
  min_stay_through?: Integer | null

  /** Most nights of a stay that arrives on this day; null clears it. */
  @IsOptional()
  @IsInt()
  max_stay?: Integer | null

  /** Whether no stay may arrive on this day; null clears it. */
  @IsOptional()
  @IsBoolean()
  closed_to_arrival?: boolean | null

  /** Whether no stay may depart on this day; null clears it. */
  @IsOptional()
  @IsBoolean()
  closed_to_departure?: boolean | null

  /** Whether nothing is sold for this day; null clears it. */
  @IsOptional()
  @IsBoolean()
  stop_sell?: boolean | null
}

/** Availability, rates or restrictions for some days of one room, or of one rate plan in one room. */
export class AriUpdateWrite {
  /** Our id of the room; instead of `external_room_id`. */
  @ValidateIf(({ room_id, external_room_id }) => room_id !== undefined || external_room_id === undefined)
  @SourceId()
  room_id?: string

  /** Your id of the room; instead of `room_id`. */
  @Optional()
  @Line(MAX_ID)
  @InsteadOf('room_id')
  external_room_id?: string

  /** Our id of the rate plan; instead of `external_rate_plan_id`. */
  @Optional()
  @SourceId()
  rate_plan_id?: string

  /** Your id of the rate plan; instead of `rate_plan_id`. */
  @Optional()
  @Line(MAX_ID)
  @InsteadOf('rate_plan_id')
  external_rate_plan_id?: string

  /** First day. */
  @CalendarDate()
  date_from: string

  /** Last day, inclusive. */
  @CalendarDate()
  date_to: string

  /** Days of the week to which the update applies; all when absent. */
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

  /** Prices for a night; one for each number of guests if the rate plan is priced per occupancy. */
  @Optional()
  @NestedList(() => RateWrite)
  @ArrayMaxSize(MAX_RATES)
  @WithRatePlan()
  rates?: RateWrite[]

  /** Restrictions to set or clear. */
  @Optional()
  @Nested(() => RestrictionsWrite)
  @WithRatePlan()
  restrictions?: RestrictionsWrite
}

/** Body of POST /ari. Either all updates are applied or none. */
export class AriWrite {
  @Line(MAX_ID)
  property_id: PropertyId

  /** ISO 4217 code of every amount in the call; there is no default. */
  @IsOptional()
  @IsString()
  currency?: string | null

  /** The updates; either all are applied or none. */
  @NestedList(() => AriUpdateWrite)
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_UPDATES)
  updates: AriUpdateWrite[]
}

/** The restrictions of a day; null where none is set. */
export interface Restrictions {
  /** Fewest nights of a stay that arrives on this day; null when unset. */
  min_stay_arrival: Integer | null
  /** Fewest nights of a stay that includes this day; null when unset. */
  min_stay_through: Integer | null
  /** Most nights of a stay that arrives on this day; null when unset. */
  max_stay: Integer | null
  /** Whether no stay may arrive on this day; null when unset. */
  closed_to_arrival: boolean | null
  /** Whether no stay may depart on this day; null when unset. */
  closed_to_departure: boolean | null
  /** Whether nothing is sold for this day; null when unset. */
  stop_sell: boolean | null
}

/** Result of a write. */
export interface AriWritten {
  schema_version: SchemaVersion
  property_id: PropertyId
  /** Rises by one with every call that changes a cell of the property, whichever connection made it. */
  ari_revision: Integer
  /** When the call was applied; for a dry run, when it was checked. */
  applied_at: Timestamp
  /** Number of updates in the call. */
  updates: Integer
  /** Cells that changed. A cell is one day of a room, or of a rate plan in a room. */
  cells_written: Integer
  /** Cells that already had these values. */
  cells_unchanged: Integer
  /**
   * Warnings about updates that were applied but may be mistakes, in the order of the updates; usually empty.
   * @maxItems 1000
   */
  warnings: AriWarning[]
}

/** A warning about an update that was applied but may be a mistake. */
export interface AriWarning {
  /** `above_total_units`: more units of a room are for sale than its `total_units` in GET /catalog/rooms. */
  code: 'above_total_units'
  /** JSON pointer into the body, `/updates/0/availability`. */
  pointer: string
  /** Explanation for people: what to check. */
  message: string
}

/** The cells of a period that have been written. */
export interface AriState {
  schema_version: SchemaVersion
  property_id: PropertyId
  /** First day of the period. */
  date_from: CalendarDay
  /** Last day of the period, inclusive. */
  date_to: CalendarDay
  /** Revision that the answer shows. */
  ari_revision: Integer
  /** Rooms with availability in the period. */
  rooms: RoomAri[]
  /** Rate plans, in each room, with rates or restrictions in the period. */
  rate_plans: RatePlanAri[]
}

/**
 * Availability of a room.
 * @public The description of the interface has it by its name.
 */
export interface RoomAri {
  room_id: ServiceId
  external_room_id: ExternalRoomId | null
  /**
   * Days that were written.
   * @maxItems 92
   */
  days: RoomAriDay[]
}

/**
 * Availability of a room on one day.
 * @public The description of the interface has it by its name.
 */
export interface RoomAriDay {
  /** The day. */
  date: CalendarDay
  /** Units that can be sold; null when never set. */
  availability: Integer | null
}

/**
 * Rates and restrictions of a rate plan in one room.
 * @public The description of the interface has it by its name.
 */
export interface RatePlanAri {
  rate_plan_id: ServiceId
  external_rate_plan_id: ExternalRatePlanId | null
  room_id: ServiceId
  external_room_id: ExternalRoomId | null
  /** Currency of the rates. */
  currency: CurrencyCode
  /**
   * Days that were written.
   * @maxItems 92
   */
  days: RatePlanAriDay[]
}

/**
 * Rates and restrictions of one day.
 * @public The description of the interface has it by its name.
 */
export interface RatePlanAriDay {
  /** The day. */
  date: CalendarDay
  /** Prices for a night. */
  rates: Rate[]
  /** Restrictions of the day. */
  restrictions: Restrictions
}

/**
 * A price for a night.
 * @public The description of the interface has it by its name.
 */
export interface Rate {
  /** Number of guests that the price is for; null for rate plans with one price for the room. */
  occupancy: Integer | null
  /** Price in the rate plan's currency. */
  amount: DecimalText
}
