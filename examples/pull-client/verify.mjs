// Proves that the client holds what the service holds, and finds the rows that differ:
// GET /reservations/digest, GET /reservations/digest/rows and POST /reservations/proofs.
import { createHash } from 'node:crypto'

const PAGE_SIZE = '100'
const PATH = '/api/connectivity/v1/reservations'
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

/** The digest of rows, in any order. */
function digestOf(rows) {
  let sum = 0n
  for (const { updated_at, kind, reservation_id } of rows)
    sum = (sum + BigInt(`0x${sha256(`${updated_at}\n${kind}\n${reservation_id}`)}`)) % 2n ** 256n
  const digits = sum.toString(16).padStart(64, '0') + rows.length.toString(16).padStart(16, '0')
  return { rows: rows.length, digest: sha256(Buffer.from(digits, 'hex')) }
}

const bucketOf = ({ reservation_id }) => sha256(reservation_id).slice(0, 2)
const isSame = (one, other) => one.rows === other.rows && one.digest === other.digest

/** The client's rows that a digest covers. */
const covered = (rows, { checkpoint, moved }) =>
  rows.filter(({ updated_at, reservation_id }) => updated_at <= checkpoint && !moved.includes(reservation_id))

/**
 * Compares both sides and records what was found.
 * @param call (method, path, query, body) => parsed answer; throws for anything but 200
 * @param rows what the client holds: [{reservation_id, updated_at, kind}]
 * @param at {property_id, checkpoint}: everything up to the checkpoint has been processed
 * @returns differences as sentences; empty when both sides hold the same
 */
export async function verify(call, rows, at) {
  const answer = await call('GET', `${PATH}/digest`, at)
  const mine = digestOf(covered(rows, answer))
  await call('POST', `${PATH}/proofs`, {}, { ...at, ...mine })
  return isSame(mine, answer) ? [] : findDifferences(call, rows, at)
}

async function findDifferences(call, rows, at) {
  const { buckets, ...answer } = await call('GET', `${PATH}/digest`, { ...at, buckets: '256' })
  const mine = {}
  for (const row of covered(rows, answer)) (mine[bucketOf(row)] ??= []).push(row)
  const theirs = new Map(buckets.map((each) => [each.bucket, each]))
  const found = []
  for (const bucket of new Set([...Object.keys(mine), ...theirs.keys()])) {
    const own = mine[bucket] ?? []
    if (!isSame(digestOf(own), theirs.get(bucket) ?? digestOf([])))
      found.push(...differences(own, await rowsOf(call, { ...at, bucket }), answer.moved))
  }
  // Rows that have changed in the meantime are no differences: they come with the next pull.
  const { moved } = await call('GET', `${PATH}/digest`, at)
  const remaining = found.filter(({ id }) => !moved.includes(id))
  // If none remains, what was recorded is out of date: compare once more, without the rows that have changed.
  return remaining.length > 0 ? remaining.map(({ id, says }) => `${id} ${says}`) : verify(call, rows, at)
}

/** The service's rows of a bucket, page by page. */
async function rowsOf(call, at) {
  const rows = []
  for (let query = { ...at, limit: PAGE_SIZE }; ;) {
    const page = await call('GET', `${PATH}/digest/rows`, query)
    rows.push(...page.rows)
    if (!page.pagination.has_more) return rows
    query = { ...at, cursor: page.pagination.next_cursor, limit: PAGE_SIZE }
  }
}

function differences(own, theirs, moved) {
  const held = new Map(own.map((row) => [row.reservation_id, row]))
  const listed = new Map(theirs.map((row) => [row.reservation_id, row]))
  const found = []
  for (const [id, { updated_at, kind }] of listed) {
    const row = held.get(id)
    if (!row && !moved.includes(id)) found.push({ id, says: `is missing here: it is a ${kind} of ${updated_at}` })
    else if (row && (row.updated_at !== updated_at || row.kind !== kind))
      found.push({ id, says: `is a ${row.kind} of ${row.updated_at} here, in the feed a ${kind} of ${updated_at}` })
  }
  for (const id of held.keys()) if (!listed.has(id)) found.push({ id, says: 'is not in the feed' })
  return found
}
