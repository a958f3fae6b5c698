// A property for the benchmark: 100 rooms sold under one rate plan, and a connection to it.
import { publish } from '../../../deploy/local/demo/booking-engine.ts'
import { OperatorsApi } from '../../../deploy/local/demo/operators-api.ts'
import { get, type SignedConnection } from '../../../deploy/local/demo/partner.ts'
import { until } from '../../../deploy/local/machine/until.ts'
import type { OwnStack } from '@connectivity/toolkit/own-stack'
import { applicationOf } from '../demo.ts'

export const ROOMS = 100
export const roomId = (index: number): string => `rm_bench_${index}`
export const RATE_PLAN = 'rp_bench'
const PROPERTY = 'prop_bench'

const room = (index: number) => ({
  room_id: roomId(index),
  name: `Room ${index}`,
  kind: 'private',
  total_units: 10,
  beds_per_unit: null,
  bed_type: null,
  occupancy: { base: 2, max: 2, max_adults: 2, max_children: 0 },
  status: 'active',
})

const snapshot = {
  property_id: PROPERTY,
  version: 1,
  name: 'Benchmark',
  timezone: 'UTC',
  currency: 'EUR',
  country: 'DE',
  rooms: Array.from({ length: ROOMS }, (_, index) => room(index)),
  rate_plans: [
    {
      rate_plan_id: RATE_PLAN,
      name: 'Benchmark',
      room_ids: Array.from({ length: ROOMS }, (_, index) => roomId(index)),
      currency: 'EUR',
      pricing_model: 'per_room',
      occupancies: null,
      derived_from: null,
      status: 'active',
    },
  ],
}

/** Resolves with the connection's id and its signing key once ARI knows its catalog. */
export async function prepare(demo: OwnStack): Promise<SignedConnection> {
  const { base_url, ops, kafka } = demo
  const { application_id } = applicationOf(demo)
  const api = new OperatorsApi(ops.base_url, ops.token)
  await api.liftLimits(application_id)
  await publish(kafka.brokers, { properties: [snapshot] })
  const wanted = { application_id, source_property_id: PROPERTY, external_property_id: 'BENCH' }
  const property_id = await api.connect(wanted)
  const signing = await api.issueSigning(property_id)
  const query = { property_id, date_from: '2027-01-01', date_to: '2027-01-01' }
  let status = 0
  const isServed = async () => ({ status } = await get(base_url, '/ari', query, signing)).status === 200
  await until(isServed, { within: 60_000, every: 200, complaint: () => `GET /ari answers ${status}` })
  return { property_id, signing }
}
