/** The reservations to deliver again. */
export type Selection =
  | { ids: readonly string[] }
  /** Days of arrival as last sent by the booking engine, both inclusive, null when open. */
  | { from: string | null; to: string | null }

/** Selection of a request whose body names either ids or at least one end of a range. */
export const selectionOf = (body: {
  reservation_ids?: string[]
  check_in_from?: string
  check_in_to?: string
}): Selection =>
  body.reservation_ids
    ? { ids: [...new Set(body.reservation_ids)] }
    : { from: body.check_in_from ?? null, to: body.check_in_to ?? null }
