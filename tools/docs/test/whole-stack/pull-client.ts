import { spawn, type StdioOptions } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FeedPage, Reservation } from '@connectivity/contracts/reservation'
import { eventually } from '@connectivity/testing/eventually'
import type { WholeStack } from '@connectivity/testing/whole-stack'
import { poll } from '@connectivity/toolkit/until'
import type { PartnerCalls } from './partner-calls.js'
import type { System } from './system.js'

const CLIENT = fileURLToPath(new URL('../../../../examples/pull-client/pull-client.mjs', import.meta.url))
/** The smallest pages give the most points at which to kill the client. */
const PAGE_SIZE = '1'
const KILLS = 12
/** Longest life of the client before it is killed, ms. */
const LONGEST_LIFE = 900
/** Longest wait for the first pull to be between two pages, ms. */
const LONGEST_PULL = 60_000
/** Longest wait for a lock of the client's database, ms. */
const BUSY = 5_000

const databaseOf = (stack: WholeStack): string => stack.file('reservations.sqlite')

function start(stack: WholeStack, args: readonly string[] = [], output: 'ignore' | 'pipe' = 'ignore') {
  const env = { ...stack.partnerEnvironment, DATABASE: databaseOf(stack), PAGE_SIZE, POLL_SECONDS: '0' }
  const stdio: StdioOptions = ['ignore', output, output === 'pipe' ? 'pipe' : 'inherit']
  return spawn(process.execPath, ['--no-warnings', CLIENT, ...args], { env, stdio })
}

/** Rows that the client has stored; the client may be writing meanwhile. */
function rowsOf<T>(stack: WholeStack, query: string): T[] {
  const database = new DatabaseSync(databaseOf(stack), { readOnly: true, timeout: BUSY })
  try {
    return database.prepare(query).all() as T[]
  } finally {
    database.close()
  }
}

/** Whether the client was stopped between two pages of a pull. */
function isInterrupted(stack: WholeStack): boolean {
  const [position] = rowsOf<{ cursor: string | null }>(stack, 'SELECT cursor FROM position')
  return (position?.cursor ?? null) !== null
}

/**
 * Starts the client repeatedly and kills it, first in the middle of its first pull, later after a random time, while
 * bookings change; finally lets it finish.
 * @returns how often it was killed between two pages
 */
async function killedPullClient(stack: WholeStack): Promise<number> {
  let interrupted = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const client = start(stack)
    const ended = once(client, 'close')
    const booked = kill % 3 === 0 ? stack.book(...([[], ['--modify'], ['--cancel']] as const)[(kill / 3) % 3]!) : null
    await eventually(() => void rowsOf(stack, 'SELECT 1 FROM position'))
    // The first pull is long enough to kill the client midway; later kills come at random times.
    if (kill === 0)
      await poll(() => client.exitCode !== null || isInterrupted(stack), { within: LONGEST_PULL, every: 1 })
    else await delay(randomInt(LONGEST_LIFE))
    client.kill('SIGKILL')
    await Promise.all([ended, booked])
    if (isInterrupted(stack)) interrupted += 1
  }
  return interrupted
}

/** Pulls once more and compares what the client has with the whole feed, field by field. */
async function expectStoredAsServed(stack: WholeStack, partner: PartnerCalls): Promise<void> {
  const [code] = (await once(start(stack, ['--once']), 'close')) as [number]
  expect(code).toBe(0)
  const rows = rowsOf<{ content: string }>(stack, 'SELECT content FROM reservation ORDER BY reservation_id')
  const stored = rows.map(({ content }) => JSON.parse(content) as Reservation)
  expect(stored).toEqual(await wholeFeed(stack, partner))
}

/** Pulls and compares once. @returns exit code and everything printed */
async function verified(stack: WholeStack): Promise<{ code: number; text: string }> {
  const client = start(stack, ['--once', '--verify'], 'pipe')
  let text = ''
  for (const stream of [client.stdout, client.stderr]) stream!.on('data', (chunk: Buffer) => void (text += chunk))
  const [code] = (await once(client, 'close')) as [number]
  return { code, text }
}

/** Loses a reservation, changes one and adds one in the client's database. @returns their ids */
function spoil(stack: WholeStack): [lost: string, changed: string, surplus: string] {
  const database = new DatabaseSync(databaseOf(stack), { timeout: BUSY })
  try {
    const ids = database.prepare('SELECT reservation_id FROM reservation ORDER BY reservation_id LIMIT 2').all()
    const [lost, changed] = ids.map(({ reservation_id }) => String(reservation_id)) as [string, string]
    database.prepare('DELETE FROM reservation WHERE reservation_id = ?').run(lost)
    const [before, surplus] = ['2020-01-01T00:00:00.000Z', 'RSV-surplus']
    database.prepare('UPDATE reservation SET updated_at = ? WHERE reservation_id = ?').run(before, changed)
    database
      .prepare('INSERT INTO reservation (property_id, reservation_id, updated_at) VALUES (?, ?, ?)')
      .run(stack.connection.property_id, surplus, before)
    return [lost, changed, surplus]
  } finally {
    database.close()
  }
}

async function wholeFeed(stack: WholeStack, partner: PartnerCalls): Promise<Reservation[]> {
  const found: Reservation[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await partner.call(
      'GET',
      `/reservations?property_id=${stack.connection.property_id}&limit=100${from}`,
    )
    const page = body as FeedPage
    found.push(...page.reservations)
    cursor = page.pagination.next_cursor
  }
  return found.sort((one, other) => (one.reservation_id < other.reservation_id ? -1 : 1))
}

/** Kills the pull client of the examples again and again. */
export function describePullClient(system: () => System): void {
  describe('the pull client', () => {
    it('stores the whole feed, however often it is killed', async () => {
      const { stack, partner } = system()
      const interrupted = await killedPullClient(stack)
      expect(interrupted).toBeGreaterThan(0)
      await expectStoredAsServed(stack, partner)
    }, 180_000)

    it('proves that it holds the whole feed, and names every reservation that differs', async () => {
      const { stack } = system()
      const good = await verified(stack)
      expect([good.code, good.text]).toEqual([0, expect.stringContaining('both sides hold the same')])
      const [lost, changed, surplus] = spoil(stack)
      const { code, text } = await verified(stack)
      expect(code).toBe(1)
      const lines = text.split('\n').filter((line) => / here| is not in the feed/.test(line))
      const says = (id: string) => lines.find((line) => line.startsWith(`${id} `))
      expect(lines).toHaveLength(3)
      expect([says(lost), says(changed), says(surplus)]).toEqual([
        expect.stringContaining('is missing here'),
        expect.stringContaining('of 2020-01-01T00:00:00.000Z here'),
        expect.stringContaining('is not in the feed'),
      ])
    })
  })
}
