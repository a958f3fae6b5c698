import type { Schemas } from '../api/client.ts'

type Page = Schemas['EventPage']
type Event = Schemas['IndexedEvent']

/** An event of the index, with its envelope as JSON text. */
export type ShownEvent = Event & { envelope: string }

/** Makes a value that is written as this JSON text; TypeScript does not declare it yet, older browsers lack it. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => object }

/** Keeps the digits of a number, such as those of `412.50`. */
const keepDigits = (_key: string, value: unknown, context?: { source: string }): unknown =>
  typeof value === 'number' && rawJSON && context ? rawJSON(context.source) : value

/** The event as it was sent, without what the index adds. */
const envelopeOf = ({ delivery: _delivery, acknowledgement: _acknowledgement, ...envelope }: Event): string =>
  JSON.stringify(envelope, null, 2)

/** Reads a page of the event index. Envelopes are texts, because numbers would lose digits of amounts. */
export function readEvents(text: string): Omit<Page, 'events'> & { events: ShownEvent[] } {
  const page = JSON.parse(text) as Page
  const sent = JSON.parse(text, keepDigits) as Page
  return {
    ...page,
    events: page.events.map((event, index) => ({ ...event, envelope: envelopeOf(sent.events[index]!) })),
  }
}
