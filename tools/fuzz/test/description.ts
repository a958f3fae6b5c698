// The published description and made-up facts, for specs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Description } from '../model/description.ts'
import type { Facts } from '../values/good-bodies.ts'
import type { Known } from '../values/schema-values.ts'

export const description = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'),
) as Description

export const facts: Facts = {
  property_id: 'con_known',
  client_id: 'cli_known',
  client_secret: 'secret',
  room_ids: ['rm_one', 'rm_two'],
  rate_plan_ids: ['rp_one'],
  priced: [{ room_id: 'rm_one', rate_plan_id: 'rp_one' }],
  currency: 'EUR',
  event_ids: ['evt_one', 'evt_two'],
  callback_url: 'http://127.0.0.1:1/lane',
}

export const known: Known = { property_id: ['con_known'], reservation_id: ['RSV-1'] }
