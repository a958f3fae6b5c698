import type { DeliveryStatus } from '@connectivity/contracts/delivery-status'
import type { CallText } from '../call-text.js'
import { property_id, reservation, schema_version } from './samples.js'

const behind = {
  schema_version,
  property_id,
  checkpoint: '2026-11-20T10:20:00.002Z',
  processed_to: '2026-11-20T08:00:00.000Z',
  processed_at: '2026-11-20T08:01:00.250Z',
  waiting: 3,
  waiting_is_capped: false,
  oldest_waiting_at: reservation.updated_at,
  at_risk: [
    {
      reservation_id: reservation.reservation_id,
      check_in: '2026-11-21',
      status: 'confirmed',
      changed_at: reservation.updated_at,
    },
  ],
  last_proven_at: '2026-11-19T03:00:01.500Z',
  last_proven_checkpoint: '2026-11-19T02:58:00.000Z',
} satisfies DeliveryStatus

const upToDate = {
  ...behind,
  processed_to: behind.checkpoint,
  processed_at: '2026-11-20T10:21:00.250Z',
  waiting: 0,
  oldest_waiting_at: null,
  at_risk: [],
} satisfies DeliveryStatus

export const statusCalls: Record<string, CallText> = {
  'GET /reservations/status': {
    operationId: 'getDeliveryStatus',
    tag: 'Reservations',
    summary: 'Get what was not fetched yet',
    description:
      'Shows how far your polls have come, how many changes wait, and which of them are at risk. A poll from a checkpoint tells us that you have processed everything up to it; a page that no poll has followed yet is not processed. The status is at most a few seconds old.',
    answers: [
      {
        status: 200,
        description: 'The status.',
        type: 'DeliveryStatus',
        examples: {
          behind: { summary: 'Three rows wait, one of them is at risk', value: behind },
          upToDate: { summary: 'Everything was fetched', value: upToDate },
        },
      },
    ],
  },
}
