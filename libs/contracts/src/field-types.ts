/**
 * Kinds of values in answers. The OpenAPI document is generated from the types of this library: their comments become
 * descriptions, and the tags below become formats.
 */

/** @asType integer */
export type Integer = number

/**
 * UTC with exactly three fraction digits, `2026-11-20T10:15:30.123Z`.
 * @format date-time
 */
export type Timestamp = string

/**
 * A day of the property's own calendar, `YYYY-MM-DD`.
 * @format date
 */
export type CalendarDay = string

/**
 * ISO 4217, upper case.
 * @pattern ^[A-Z]{3}$
 */
export type CurrencyCode = string

/**
 * Decimal number as text, never a float.
 * @pattern ^-?[0-9]+(\.[0-9]+)?$
 */
export type DecimalText = string

/**
 * Version of the body's schema, `major.minor.patch`; a minor version only adds fields.
 * @pattern ^[0-9]+\.[0-9]+\.[0-9]+$
 */
export type SchemaVersion = string

/**
 * Id of the property connection, as GET /properties lists it.
 * @maxLength 128
 */
export type PropertyId = string

/**
 * Your own code of the property.
 * @maxLength 128
 */
export type ExternalPropertyId = string

/**
 * Booking reference, the same across modification and cancellation.
 * @maxLength 128
 */
export type ReservationId = string

/**
 * Id of the event, the same at every attempt to deliver it.
 * @maxLength 128
 */
export type EventId = string

/**
 * Our id of the room or rate plan.
 * @maxLength 128
 */
export type ServiceId = string

/**
 * Your id of the room; null while it is unmapped.
 * @maxLength 128
 */
export type ExternalRoomId = string

/**
 * Your id of the rate plan; null while it is unmapped.
 * @maxLength 128
 */
export type ExternalRatePlanId = string

/**
 * Names a request in our logs; quote it when you ask operations about it.
 * @pattern ^[A-Za-z0-9._-]{8,64}$
 */
export type CorrelationId = string
