/**
 * Kinds of values in answers. The description of the interface is made from the types of this library: their comments
 * become its texts, and the tags below its formats.
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
