// The minimum that serves a page: one bare node:http process, one named statement, the same bytes. No rules.
import { createServer } from 'node:http'
import { Pool } from 'pg'
import { given } from '@connectivity/toolkit/config'
import { serve } from './forked.ts'

// On a freshly filled table PostgreSQL would sort all rows instead of using the index: twice the work.
const options = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off'
const pool = new Pool({ connectionString: given('DATABASE_URL'), max: 3, options })
const tail = '],"errors":[],"pagination":{"limit":50,"count":50,"has_more":true,"next_cursor":null}}'

async function page(connectionId: string, from: number): Promise<string> {
  const { rows } = await pool.query({
    name: 'floor',
    text: 'SELECT body FROM feed_row WHERE connection_id = $1 AND stamp >= $2 ORDER BY stamp LIMIT 51',
    values: [connectionId, from],
    rowMode: 'array',
  })
  const head = `{"schema_version":"1.0.0","property_id":"${connectionId}","external_property_id":"","reservations":[`
  return head + rows.slice(0, 50).join(',') + tail
}

const server = createServer(async ({ url = '' }, response) => {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const body = await page(query.get('property_id') ?? '', Date.parse(query.get('updated_since') ?? ''))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
})
serve(server)
