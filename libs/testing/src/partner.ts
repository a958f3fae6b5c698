import type { DigestRow } from '@connectivity/contracts/digest'
import type { FeedPage, Reservation } from '@connectivity/contracts/reservation'
import { setTimeout as delay } from 'node:timers/promises'

/** Fetches one page; the query is what follows the `?`. */
export type FetchPage = (query: string) => Promise<{ status: number; page: FeedPage }>

const EPOCH = '1970-01-01T00:00:00.000Z'
const RETRY = 20

/**
 * The algorithm that the guides give partners and nothing else: pull from the checkpoint, follow cursors, upsert by
 * reservation_id, advance the checkpoint once a page is processed, back off on anything but 200.
 * It also checks what every poller relies on: `updated_at` rises strictly within a pull and never repeats for different
 * content.
 */
export class PollingPartner {
  readonly reservations = new Map<string, Reservation>()
  readonly problems = new Set<string>()
  /** Every row as it was last received, by reservation id. */
  readonly rows = new Map<string, DigestRow>()
  readonly violations: string[] = []
  private readonly contentAt = new Map<string, string>()
  private position = EPOCH

  constructor(
    private readonly connectionId: string,
    private readonly fetchPage: FetchPage,
    private readonly limit = 25,
  ) {}

  /** Everything up to it is processed. */
  get checkpoint(): string {
    return this.position
  }

  /** Pulls from the checkpoint to the end of the feed. */
  async pull(): Promise<void> {
    let cursor: string | null = null
    let last = ''
    do {
      const since: string = cursor === null ? `&updated_since=${this.checkpoint}` : `&cursor=${cursor}`
      const page = await this.untilServed(`property_id=${this.connectionId}&limit=${this.limit}${since}`)
      last = this.process(page, last)
      cursor = page.pagination.next_cursor
    } while (cursor !== null)
  }

  private process(page: FeedPage, before: string): string {
    const rows = [...page.reservations, ...page.errors].sort((a, b) => (a.updated_at < b.updated_at ? -1 : 1))
    let last = before
    for (const row of rows) {
      if (row.updated_at <= last) this.violations.push(`${row.reservation_id}: ${row.updated_at} after ${last}`)
      this.checkRepeats(row)
      last = row.updated_at
      const { reservation_id, updated_at } = row
      this.rows.set(reservation_id, { reservation_id, updated_at, kind: 'code' in row ? 'problem' : 'reservation' })
      if ('code' in row) this.problems.add(row.reservation_id)
      else this.upsert(row)
    }
    if (last > this.position) this.position = last
    return last
  }

  private upsert(row: Reservation): void {
    this.problems.delete(row.reservation_id)
    const known = this.reservations.get(row.reservation_id)
    if (known && known.updated_at > row.updated_at) this.violations.push(`${row.reservation_id} went back in time`)
    this.reservations.set(row.reservation_id, row)
  }

  private checkRepeats(row: { updated_at: string }): void {
    const content = JSON.stringify(row)
    const known = this.contentAt.get(row.updated_at)
    if (known !== undefined && known !== content) this.violations.push(`two contents at ${row.updated_at}`)
    this.contentAt.set(row.updated_at, content)
  }

  private async untilServed(query: string): Promise<FeedPage> {
    for (;;) {
      const answer = await this.fetchPage(query).catch(() => null)
      if (answer?.status === 200) return answer.page
      await delay(RETRY)
    }
  }
}
