// Pull client: copies a property's reservations from GET /reservations into SQLite and keeps them current.
// Plain Node (20 or later); only Node 20 needs a package, for SQLite. Stop it at any time, even with kill -9: it
// resumes at its saved position.
//
//   BASE_URL=… KEY_ID=… SIGNING_SECRET=… PROPERTY_ID=con_… node pull-client.mjs [--once] [--verify]
//
// DATABASE       file of the SQLite database; reservations.sqlite
// POLL_SECONDS   pause between two pulls; 60
// PAGE_SIZE      1 to 100; 100
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from './sqlite.mjs'
import { verify } from './verify.mjs'

// A failure ends the program with its message.
process.on('uncaughtException', ({ message }) => {
  console.error(message)
  process.exit(1)
})

const { BASE_URL, KEY_ID, SIGNING_SECRET, PROPERTY_ID } = process.env
const { DATABASE = 'reservations.sqlite', POLL_SECONDS = '60', PAGE_SIZE = '100' } = process.env
const PATH = '/api/connectivity/v1/reservations'
const EPOCH = '1970-01-01T00:00:00.000Z'
const PATIENCE = 15_000
const LONGEST_WAIT = 60

const missing = ['BASE_URL', 'KEY_ID', 'SIGNING_SECRET', 'PROPERTY_ID'].filter((name) => !process.env[name])
if (missing.length > 0) throw new Error(`Set ${missing.join(', ')} in the environment, as operations gave them to you.`)
if (!URL.canParse(BASE_URL)) throw new Error(`BASE_URL must look like https://host, not ${BASE_URL}.`)

const db = await openDatabase(DATABASE)
db.exec(`
  PRAGMA busy_timeout = 5000;
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS reservation (
    property_id TEXT, reservation_id TEXT, status TEXT, check_in TEXT, check_out TEXT, updated_at TEXT, content TEXT,
    PRIMARY KEY (property_id, reservation_id));
  CREATE TABLE IF NOT EXISTS problem (
    property_id TEXT, reservation_id TEXT, updated_at TEXT, message TEXT, correlation_id TEXT,
    PRIMARY KEY (property_id, reservation_id));
  CREATE TABLE IF NOT EXISTS position (property_id TEXT PRIMARY KEY, checkpoint TEXT, cursor TEXT)`)

const upsert = db.prepare(`
  INSERT INTO reservation VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET status = excluded.status, check_in = excluded.check_in, check_out = excluded.check_out,
    updated_at = excluded.updated_at, content = excluded.content`)
const noteProblem = db.prepare('INSERT OR REPLACE INTO problem VALUES (?, ?, ?, ?, ?)')
const forgetProblem = db.prepare('DELETE FROM problem WHERE property_id = ? AND reservation_id = ?')
const savePosition = db.prepare('INSERT OR REPLACE INTO position VALUES (?, ?, ?)')
const readPosition = db.prepare('SELECT checkpoint, cursor FROM position WHERE property_id = ?')

/** Stores a page and the position in one transaction: after a crash both are stored or neither. */
function take(page, checkpoint) {
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const one of page.reservations) {
      const { reservation_id, status, check_in, check_out, updated_at } = one
      upsert.run(PROPERTY_ID, reservation_id, status, check_in, check_out, updated_at, JSON.stringify(one))
      forgetProblem.run(PROPERTY_ID, reservation_id)
    }
    // Operations must fix these. The page still counts as processed, and the checkpoint moves past them.
    for (const { reservation_id, updated_at, message, correlation_id } of page.errors) {
      noteProblem.run(PROPERTY_ID, reservation_id, updated_at, message, correlation_id)
    }
    savePosition.run(PROPERTY_ID, checkpoint, page.pagination.next_cursor)
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

function signatureHeaders(method = 'GET', path = PATH, body = '') {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const input = [method, path, timestamp, createHash('sha256').update(body).digest('hex')].join('\n')
  const signature = createHmac('sha256', SIGNING_SECRET).update(input).digest('hex')
  return { 'X-Service-Key-Id': KEY_ID, 'X-Service-Timestamp': timestamp, 'X-Service-Signature': signature }
}

/** ETag of the last page and the query that returned it: an idle poll costs only a 304. */
let last = { query: '', tag: '' }

async function ask(query) {
  const conditional = last.query === query ? { 'If-None-Match': last.tag } : {}
  const answer = await fetch(`${BASE_URL}${PATH}?${query}`, {
    headers: { ...signatureHeaders(), ...conditional },
    signal: AbortSignal.timeout(PATIENCE),
  })
  const text = await answer.text()
  if (answer.status === 304) return { page: null }
  if (answer.status === 200) {
    last = { query, tag: answer.headers.get('etag') }
    return { page: JSON.parse(text), checkpoint: answer.headers.get('service-checkpoint') }
  }
  if (text.includes('"invalid_cursor"')) return { lost: true }
  throw refusal(answer, text)
}

/** The error for an unexpected answer; 429 and 5xx are worth a retry. */
function refusal({ status, headers }, text) {
  const error = new Error(`The service answered ${status}: ${said(text)}`)
  return Object.assign(error, { retry: status === 429 || status >= 500, after: Number(headers.get('retry-after')) })
}

const reasonOf = ({ cause, message }) => (cause ? `No answer from ${BASE_URL}: ${cause.message}` : message)

/** The error in the answer, in one line; the beginning of the text if it is not an answer of the service. */
function said(text) {
  try {
    const { code, message, correlation_id } = JSON.parse(text).error
    return `${code}. ${message} (correlation id ${correlation_id})`
  } catch {
    return text.slice(0, 200)
  }
}

/** Retries timeouts, broken connections, 429 and 5xx, with growing pauses. Anything else needs a human. */
async function patiently(query) {
  for (let wait = 1; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    try {
      return await ask(query)
    } catch (error) {
      if (error.retry === false) throw error
      const seconds = Math.max(wait, error.after || 0) * (1 + Math.random() / 4)
      console.error(`${reasonOf(error)}; again in ${seconds.toFixed(1)} s`)
      await pause(seconds * 1000)
    }
  }
}

/** Pulls from the saved position to the end of the feed. @returns number of reservations and problems received */
async function pull() {
  let count = 0
  for (;;) {
    const { checkpoint = EPOCH, cursor = null } = readPosition.get(PROPERTY_ID) ?? {}
    const from = cursor === null ? { updated_since: checkpoint } : { cursor }
    const found = await patiently(
      new URLSearchParams({ property_id: PROPERTY_ID, limit: PAGE_SIZE, ...from }).toString(),
    )
    if (found.page === null) return count
    if (found.lost) {
      savePosition.run(PROPERTY_ID, checkpoint, null)
      continue
    }
    take(found.page, found.checkpoint)
    count += found.page.reservations.length + found.page.errors.length
    if (!found.page.pagination.has_more) return count
  }
}

/** Rows as the digest counts them: a reservation that turned into a problem counts as the problem. */
const readRows = db.prepare(`
  SELECT reservation_id, updated_at, kind FROM (
    SELECT property_id, reservation_id, updated_at, 'problem' AS kind FROM problem
    UNION ALL
    SELECT property_id, reservation_id, updated_at, 'reservation' FROM reservation
     WHERE (property_id, reservation_id) NOT IN (SELECT property_id, reservation_id FROM problem))
   WHERE property_id = ?`)

/** One call for the comparison. @throws Error unless it is answered 200 */
async function call(method, path, query, given) {
  const body = given && JSON.stringify(given)
  const headers = signatureHeaders(method, path, body)
  if (body) Object.assign(headers, { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() })
  const signal = AbortSignal.timeout(PATIENCE)
  const answer = await fetch(`${BASE_URL}${path}?${new URLSearchParams(query)}`, { method, headers, body, signal })
  const text = await answer.text()
  if (answer.status !== 200) throw refusal(answer, text)
  return JSON.parse(text)
}

/** Compares both sides, prints what differs and what to do, and sets the exit code: 1 they differ, 2 not compared. */
async function compare() {
  const { checkpoint = EPOCH } = readPosition.get(PROPERTY_ID) ?? {}
  const rows = readRows.all(PROPERTY_ID)
  try {
    const differences = await verify(call, rows, { property_id: PROPERTY_ID, checkpoint })
    for (const difference of differences) console.error(difference)
    if (differences.length === 0)
      return console.log(
        `${new Date().toISOString()} proven: both sides hold the same, ${rows.length} rows at ${checkpoint}`,
      )
    process.exitCode = 1
    console.error('Both sides differ. Pull everything into a new DATABASE, or fetch what is missing or different with')
    console.error('GET /reservations/{reservation_id}; ask operations about what only you hold.')
  } catch (error) {
    process.exitCode = 2
    const next = once ? `run it again in ${error.after || POLL_SECONDS} s` : 'the next pull is compared again'
    console.error(`Not compared: ${reasonOf(error)}; ${next}`)
  }
}

console.log(`Pulling the reservations of ${PROPERTY_ID} into ${DATABASE}`)
const once = process.argv.includes('--once')
do {
  const count = await pull()
  const { checkpoint = EPOCH } = readPosition.get(PROPERTY_ID) ?? {}
  const next = once ? '' : `; next poll in ${POLL_SECONDS} s, Ctrl-C to stop`
  console.log(`${new Date().toISOString()} ${count} from the feed, up to date at ${checkpoint}${next}`)
  if (process.argv.includes('--verify')) await compare()
  if (!once) await pause(Number(POLL_SECONDS) * 1000)
} while (!once)
