import { randomUUID } from 'node:crypto'
import type { Booking } from '@connectivity/contracts/booking-events'
import { eventually } from '@connectivity/testing/eventually'
import { PollingPartner } from '@connectivity/testing/partner'
import { documented } from '@connectivity/toolkit/backup-page'
import { Client } from 'pg'
import { type FeedProcess, feedProcess } from './feed-process.js'

const RESERVATIONS = 40

let feed: FeedProcess
let administrator: Client
const run = randomUUID().slice(0, 8)
const [propertyId, connectionId] = [`prop_${run}`, `con_${run}`]
/** A connection that is made after the backup. */
const lateId = `con_late_${run}`

beforeAll(async () => {
  feed = await feedProcess()
  administrator = new Client({ connectionString: process.env.DATABASE_URL })
  await administrator.connect()
})
afterAll(async () => {
  await administrator.end()
  await feed.end()
})

const nameOf = (url: string): string => new URL(url).pathname.slice(1)

/** Replaces one database with another, as a restored cluster replaces the old one. */
async function copy(from: string, to: string): Promise<void> {
  await administrator.query(`DROP DATABASE IF EXISTS ${to} WITH (FORCE)`)
  await administrator.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${from}'`)
  await administrator.query(`CREATE DATABASE ${to} TEMPLATE ${from}`)
}

/** Runs one statement in the feed's database, whose sessions end when it is replaced. */
async function ask<T extends object>(statement: string): Promise<T[]> {
  const client = new Client({ connectionString: feed.databaseUrl })
  await client.connect()
  try {
    return (await client.query<T>(statement)).rows
  } finally {
    await client.end()
  }
}

async function lastSequence(connection = connectionId): Promise<number> {
  const [head] = await ask<{ last_sequence: string }>(
    `SELECT last_sequence FROM feed_connection WHERE connection_id = '${connection}'`,
  )
  return Number(head!.last_sequence)
}

/** Raises the numbers of events by the statements of docs/operations/backup.md: event dispatch skips those it knows. */
async function raiseNumbers(seen: Record<string, number>): Promise<void> {
  const { createSeen, raise } = documented()
  const rows = Object.entries(seen).map(([connection, sequence]) => `('${connection}', ${sequence})`)
  await ask(`${createSeen}; INSERT INTO seen VALUES ${rows.join(', ')}; ${raise}`)
}

const version = (number: number, every = 1): Partial<Booking>[] =>
  Array.from({ length: RESERVATIONS }, (_, index) => index)
    .filter((index) => index % every === 0)
    .map((index) => ({
      property_id: propertyId,
      reservation_id: `${propertyId}-${index}`,
      version: number,
      guest_count: number,
    }))

describe('a feed whose database is restored to an earlier moment', () => {
  it('loses no change for partners who saw later stamps, and moves no stamp that has not changed since', async () => {
    const database = nameOf(feed.databaseUrl)
    const backup = `${database}_backup`
    const partner = new PollingPartner(connectionId, (query) => feed.page(connectionId, query))
    const has = (count: number, guests: number) =>
      eventually(async () => {
        await partner.pull()
        const shown = [...partner.reservations.values()].filter(({ guest_count }) => guest_count === guests)
        expect(shown).toHaveLength(count)
      })

    await feed.announce({ connection_id: connectionId, property_id: propertyId })
    await feed.book(version(1))
    await has(RESERVATIONS, 1)
    await feed.service.stop()
    await feed.sql.end()
    await copy(database, backup)
    await feed.service.start()

    const before = new Map(partner.reservations)
    await feed.announce({ connection_id: lateId, property_id: propertyId })
    const isLateLive = () =>
      eventually(async () => {
        const late = new PollingPartner(lateId, (query) => feed.page(lateId, query))
        await late.pull()
        expect(late.reservations.size).toBe(RESERVATIONS)
      })
    await isLateLive()
    await feed.book(version(2, 2))
    await has(RESERVATIONS / 2, 2)
    // As if it had made many more events.
    const lateSent = (await lastSequence(lateId)) + 1_000
    const seen = Math.max(...[...partner.reservations.values()].map(({ updated_at }) => Date.parse(updated_at)))
    const sent = await lastSequence()
    await feed.service.kill()
    await copy(backup, database)
    await administrator.query(`DROP DATABASE ${backup} WITH (FORCE)`)
    const seenNumbers = { [connectionId]: sent, [lateId]: lateSent }
    await raiseNumbers(seenNumbers)
    await feed.book(version(3, 4))
    await feed.service.start()

    await has(RESERVATIONS / 4, 3)
    await has(RESERVATIONS / 4, 2)
    await isLateLive()
    expect(await lastSequence(lateId)).toBeLessThan(lateSent)
    await raiseNumbers(seenNumbers)
    expect(await lastSequence(lateId)).toBe(lateSent)
    expect(partner.violations).toEqual([])
    expect(await lastSequence()).toBeGreaterThanOrEqual(sent + RESERVATIONS / 2)
    const after = [...partner.reservations.values()]
    const untouched = after.filter(({ guest_count }) => guest_count === 1)
    expect(untouched).toHaveLength(RESERVATIONS / 2)
    for (const reservation of untouched) expect(reservation).toEqual(before.get(reservation.reservation_id))
    const fresh = new PollingPartner(connectionId, (query) => feed.page(connectionId, query))
    await fresh.pull()
    expect([...fresh.reservations.values()].filter(({ guest_count }) => guest_count === 1)).toEqual(untouched)
    for (const { updated_at, guest_count } of fresh.reservations.values()) {
      if (guest_count !== 1) expect(Date.parse(updated_at)).toBeGreaterThan(seen)
    }
  }, 200_000)
})
