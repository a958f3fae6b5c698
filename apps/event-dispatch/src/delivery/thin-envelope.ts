/** The body of a `thin` callback: the envelope without the reservation, the same bytes at every attempt. */
export function thinEnvelope(envelope: string): string {
  const event = JSON.parse(envelope) as { data: { reservation?: unknown } }
  delete event.data.reservation
  return JSON.stringify(event)
}
