import type { AriState, AriWrite, AriWritten } from '@connectivity/contracts/ari'
import { type CallText, query } from '../call-text.js'
import { property_id, schema_version } from './samples.js'

const write = {
  property_id,
  currency: 'EUR',
  updates: [
    { external_room_id: 'DBL', date_from: '2026-12-01', date_to: '2026-12-31', availability: 4 },
    {
      external_room_id: 'DBL',
      external_rate_plan_id: 'FLEX',
      date_from: '2026-12-01',
      date_to: '2026-12-31',
      days_of_week: ['fri', 'sat'],
      rates: [
        { occupancy: 1, amount: '98.00' },
        { occupancy: 2, amount: '110.00' },
      ],
      restrictions: { min_stay_arrival: 2, closed_to_arrival: null },
    },
  ],
} satisfies AriWrite

const written = {
  schema_version,
  property_id,
  ari_revision: 42,
  applied_at: '2026-11-20T10:15:30.123Z',
  updates: 2,
  cells_written: 39,
  cells_unchanged: 0,
  warnings: [],
} satisfies AriWritten

const oversold = {
  ...written,
  warnings: [
    {
      code: 'above_total_units',
      pointer: '/updates/0/availability',
      message: 'The room has 3 units; lower `availability` unless you oversell on purpose.',
    },
  ],
} satisfies AriWritten

const state = {
  schema_version,
  property_id,
  date_from: '2026-12-04',
  date_to: '2026-12-04',
  ari_revision: 42,
  rooms: [{ room_id: 'rm_double', external_room_id: 'DBL', days: [{ date: '2026-12-04', availability: 4 }] }],
  rate_plans: [
    {
      rate_plan_id: 'rp_flex',
      external_rate_plan_id: 'FLEX',
      room_id: 'rm_double',
      external_room_id: 'DBL',
      currency: 'EUR',
      days: [
        {
          date: '2026-12-04',
          rates: [
            { occupancy: 1, amount: '98.00' },
            { occupancy: 2, amount: '110.00' },
          ],
          restrictions: {
            min_stay_arrival: 2,
            min_stay_through: null,
            max_stay: null,
            closed_to_arrival: null,
            closed_to_departure: null,
            stop_sell: null,
          },
        },
      ],
    },
  ],
} satisfies AriState

const day = (name: 'date_from' | 'date_to', description: string) => ({
  ...query(name, description, { type: 'string', format: 'date' }, '2026-12-04'),
  required: true,
})

export const ariCalls: Record<string, CallText> = {
  'POST /ari': {
    operationId: 'writeAri',
    tag: 'Availability and rates',
    summary: 'Write availability, rates and restrictions',
    description:
      'Up to 1,000 updates, together up to 50,000 cells (days of a room, or of a rate plan in a room) and 500,000 prices (one for each occupancy of a cell), applied all or nothing. `availability` belongs to a room, `rates` and `restrictions` to a rate plan in a room; each is named by our id or by yours. `availability` above the room’s `total_units` is applied and answered with a warning. What is absent stays as it is; null clears a restriction. `date_to` is inclusive; days lie between today at the property and 730 days from then. Amounts are decimal strings in the rate plan’s currency, which the call has to name. A refusal lists every fault.',
    parameters: [
      query(
        'dry_run',
        '`true` checks and counts the updates without writing them; the answer holds the current revision.',
        { type: 'string', enum: ['true', 'false'] },
        'true',
      ),
    ],
    requests: { write: { summary: 'Availability of a month, prices of its weekends', value: write } },
    answers: [
      {
        status: 200,
        description: 'Applied and readable. A call that changes no cell leaves the revision as it is.',
        type: 'AriWritten',
        examples: {
          written: { summary: 'Applied', value: written },
          oversold: { summary: 'Applied, with more units than the room has', value: oversold },
        },
      },
    ],
    errors: ['ari_rejected', 'currency_required', 'currency_mismatch'],
  },
  'GET /ari': {
    operationId: 'readAri',
    tag: 'Availability and rates',
    summary: 'Read availability, rates and restrictions',
    description:
      'The current state, up to 92 days per call, both ends inclusive. Only cells that have been written appear.',
    parameters: [
      day('date_from', 'First day.'),
      day('date_to', 'Last day.'),
      query('external_room_id', 'Your id of a room; only this room is returned.', { type: 'string' }, 'DBL'),
      query(
        'external_rate_plan_id',
        'Your id of a rate plan; only this rate plan is returned.',
        { type: 'string' },
        'FLEX',
      ),
    ],
    answers: [
      {
        status: 200,
        description: 'The state.',
        type: 'AriState',
        examples: { day: { summary: 'One day of one room', value: state } },
      },
    ],
  },
}
