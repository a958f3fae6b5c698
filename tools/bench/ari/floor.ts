// The minimum that writes one cell: a bare node:http process reads the body, upserts the raw row in its own
// transaction, and answers about the same bytes. No rules.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { given } from '@connectivity/toolkit/config'
import { serve } from '../forked.ts'
import { roomNumber } from './property.ts'
import { RawUpsert } from './raw-upsert.ts'

/** A call as the partner sends it. */
interface Call {
  property_id: string
  updates: [{ room_id: string; date_from: string; rates: [{ amount: string }] }]
}

const raw = new RawUpsert(given('DATABASE_URL'), 8)
let revision = 0

async function write({ property_id, updates: [{ room_id, date_from, rates }] }: Call): Promise<string> {
  await raw.price([roomNumber(room_id)], [date_from], rates[0].amount)
  const counts = { updates: 1, cells_written: 1, cells_unchanged: 0, warnings: [] }
  const applied_at = new Date().toISOString()
  return JSON.stringify({ schema_version: '1.0.0', property_id, ari_revision: ++revision, applied_at, ...counts })
}

const server = createServer(async (request, response) => {
  const body = await write(JSON.parse(await text(request)) as Call)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
})
serve(server)
