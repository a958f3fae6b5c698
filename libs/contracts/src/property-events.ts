import { openCloudEvent } from './cloud-event.js'
import type { CurrencyCode, Integer } from './field-types.js'
import { MessageFields } from './message-fields.js'

/**
 * `booking.properties.v1`, written by the booking engine, read by the catalog and, for the ids alone, by the gateway.
 * Full state; higher `version` wins.
 */
export interface Property {
  property_id: string
  version: number
  name: string
  /** IANA time zone of the property's local calendar. */
  timezone: string
  currency: string
  country: string
  rooms: Room[]
  rate_plans: RatePlan[]
}

/** Whether a room is sold whole or by the bed. */
const roomKinds = ['private', 'dorm'] as const
/** Whether a room or rate plan can be sold; archived ones are kept for what names them. */
const entityStatuses = ['active', 'archived'] as const
/** Whether a rate plan has one price for the room or one for each number of guests. */
const pricingModels = ['per_room', 'per_occupancy'] as const
/** Whether a room or rate plan can be sold. */
export type EntityStatus = (typeof entityStatuses)[number]

/** A room's fields, as the booking engine sends them. */
export interface RoomFacts {
  /** Name of the room. */
  name: string
  /** Whether it is sold whole or by the bed. */
  kind: (typeof roomKinds)[number]
  /** Units of this kind that the property has. */
  total_units: Integer
  /** Beds of a unit, for a dormitory; null for others. */
  beds_per_unit: Integer | null
  /** Label of the beds; null when unknown. */
  bed_type: string | null
  /** Number of guests that the room takes. */
  occupancy: RoomOccupancy
  /** Whether it can be sold; an archived room is kept for the reservations that name it. */
  status: EntityStatus
}

/**
 * Number of guests that a room takes.
 * @public The description of the interface has it by its name.
 */
export interface RoomOccupancy {
  /** Guests included in the price. */
  base: Integer
  /** Most guests in all. */
  max: Integer
  /** Most adults among them. */
  max_adults: Integer
  /** Most children among them. */
  max_children: Integer
}

/** A room under the booking engine's id. */
export interface Room extends RoomFacts {
  room_id: string
}

/** A rate plan's fields, as the booking engine sends them. */
export interface RatePlanFacts {
  /** Name of the rate plan. */
  name: string
  /** Currency of its prices. */
  currency: CurrencyCode
  /** Whether there is one price for the room or one for each number of guests. */
  pricing_model: (typeof pricingModels)[number]
  /** Numbers of guests that have a price of their own; null for `per_room`. */
  occupancies: Integer[] | null
  /** Label of the meals included; null when unknown. */
  meal_plan: string | null
  /** Whether a cancellation is refunded; null when unknown. */
  refundable: boolean | null
  /** Whether prices include taxes; null when unknown. */
  tax_inclusive: boolean | null
  /** Whether it can be sold; an archived plan is kept for the reservations that name it. */
  status: EntityStatus
}

/** A rate plan under the booking engine's id. */
export interface RatePlan extends RatePlanFacts {
  rate_plan_id: string
  room_ids: string[]
  derived_from: { rate_plan_id: string; type: 'percent' | 'amount'; value: string } | null
}

function readRoom(value: unknown, pointer: string): Room {
  const room = MessageFields.of(value, pointer)
  const occupancy = room.child('occupancy')
  return {
    room_id: room.id('room_id'),
    name: room.requiredText('name'),
    kind: room.word('kind', roomKinds),
    total_units: room.count('total_units'),
    beds_per_unit: room.optionalInteger('beds_per_unit'),
    bed_type: room.text('bed_type'),
    occupancy: {
      base: occupancy.count('base'),
      max: occupancy.count('max'),
      max_adults: occupancy.count('max_adults'),
      max_children: occupancy.count('max_children'),
    },
    status: room.optionalWord('status', entityStatuses) ?? 'active',
  }
}

function readDerivation(derived: MessageFields | null): RatePlan['derived_from'] {
  if (!derived) return null
  return {
    rate_plan_id: derived.id('rate_plan_id'),
    type: derived.word('type', ['percent', 'amount'] as const),
    value: derived.amount('value') ?? derived.fail('value', 'is required'),
  }
}

function readRatePlan(value: unknown, pointer: string): RatePlan {
  const plan = MessageFields.of(value, pointer)
  return {
    rate_plan_id: plan.id('rate_plan_id'),
    name: plan.requiredText('name'),
    room_ids: plan.values('room_ids', (ids, index) => ids.id(index)),
    currency: plan.requiredText('currency'),
    pricing_model: plan.word('pricing_model', pricingModels),
    occupancies: plan.optionalValues('occupancies', (sizes, index) => sizes.integer(index)),
    derived_from: readDerivation(plan.optionalObject('derived_from')),
    meal_plan: plan.text('meal_plan'),
    refundable: plan.flag('refundable'),
    tax_inclusive: plan.flag('tax_inclusive'),
    status: plan.optionalWord('status', entityStatuses) ?? 'active',
  }
}

/** @throws ContractViolation for anything that is not a property snapshot */
export function parsePropertyEvent(value: Uint8Array): Property {
  const data = MessageFields.of(openCloudEvent(value), '/data')
  return {
    property_id: data.id('property_id'),
    version: data.integer('version'),
    name: data.requiredText('name'),
    timezone: data.requiredText('timezone'),
    currency: data.requiredText('currency'),
    country: data.requiredText('country'),
    rooms: data.list('rooms', readRoom),
    rate_plans: data.list('rate_plans', readRatePlan),
  }
}
