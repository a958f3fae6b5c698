// Follows the feed of a demo property as its partner does: polls from the last checkpoint.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedPage, Reservation } from '@connectivity/contracts/reservation'
import { Refusal } from '../bootstrap/machine/refusal.mjs'
import type { DemoConnection, DemoFile } from '../../../tools/toolkit/hand-over.ts'
import { get, type PartnerAnswer } from '../../../tools/toolkit/partner.ts'
import { properties } from './properties.ts'

const EVERY = 1_000
/** Bound later than every stamp; it gives an empty page, whose checkpoint is the end of the feed. */
const END = '9999-12-31T00:00:00.000Z'

function describe({ updated_at, reservation_id, status, check_in, check_out, guest, ...booking }: Reservation): string {
  const amount = booking.total_amount === null ? '' : `, ${booking.total_amount} ${booking.currency}`
  return `${updated_at}  ${reservation_id} ${status.padEnd(9)} ${check_in} to ${check_out}, ${guest.full_name ?? 'no name'}${amount}`
}

/** The lines of a page, without the changes up to the requested checkpoint: `updated_since` is inclusive. */
function linesOf({ reservations, errors }: FeedPage, checkpoint: string): string[] {
  const problems = errors.map((one) => ({
    at: one.updated_at,
    text: `${one.updated_at}  ${one.reservation_id} ${one.message}`,
  }))
  const rows = reservations.map((one) => ({ at: one.updated_at, text: describe(one) }))
  const later = [...rows, ...problems].filter(({ at }) => at > checkpoint)
  return later.sort((one, other) => (one.at < other.at ? -1 : 1)).map(({ text }) => text)
}

function connectionOf(demo: Pick<DemoFile, 'applications'>, property: string): DemoConnection {
  const connections = demo.applications.flatMap((application) => application.connections)
  const connection = connections.find(({ source_property_id }) => source_property_id === property)
  if (connection) return connection
  const ids = properties.map(({ snapshot }) => snapshot.property_id).join(' and ')
  throw new Refusal(`${property} is not a demo property: use one of ${ids}.`)
}

/** The feed from a checkpoint on, poll by poll. */
class Follower {
  private checkpoint: string
  private isAway = false
  private readonly poll: (since: string) => Promise<PartnerAnswer<FeedPage> | null>

  constructor({ base_url }: DemoFile, { property_id, signing }: DemoConnection) {
    this.checkpoint = END
    this.poll = (updated_since) =>
      get<FeedPage>(base_url, '/reservations', { property_id, updated_since, limit: '100' }, signing).catch(() => null)
  }

  /** @returns whether the stack answered */
  async begin(): Promise<boolean> {
    const first = await this.poll(END)
    if (first?.status !== 200) return false
    this.checkpoint = first.headers.get('service-checkpoint')!
    return true
  }

  /** @returns lines to print: changes, or that the stack is down or back */
  async next(): Promise<string[]> {
    const answer = await this.poll(this.checkpoint)
    if (answer?.status !== 200) return this.turned(true, 'The stack does not answer; waiting for it.')
    const lines = linesOf(answer.body, this.checkpoint)
    this.checkpoint = answer.headers.get('service-checkpoint')!
    return [...this.turned(false, 'The stack answers again.'), ...lines]
  }

  private turned(isAway: boolean, text: string): string[] {
    const isNew = isAway !== this.isAway
    this.isAway = isAway
    return isNew ? [text] : []
  }
}

/**
 * Prints a line for every change from now on; waits while the stack is down.
 * @param property the booking engine's id of a demo property
 * @throws Refusal when the first poll is not answered
 */
export async function watch(demo: DemoFile, property: string, print: (line: string) => void): Promise<never> {
  const connection = connectionOf(demo, property)
  const feed = new Follower(demo, connection)
  if (!(await feed.begin())) throw new Refusal('The stack does not answer: run npm start, then try again.')
  const { property_id } = connection
  print(`Following the feed of ${property_id} (${property}). Run npm run demo:book in another terminal; Ctrl-C stops.`)
  for (;;) {
    await sleep(EVERY)
    for (const line of await feed.next()) print(line)
  }
}
