// Properties for the benchmark: rooms sold under one rate plan, and a connection to each property.
import { publish } from '../../../deploy/local/demo/booking-engine.ts'
import { OperatorsApi } from '@connectivity/toolkit/operators-api'
import { get, type SignedConnection } from '@connectivity/toolkit/partner'
import { until } from '@connectivity/toolkit/until'
import type { OwnStack } from '@connectivity/toolkit/own-stack'
import { applicationOf } from '../demo.ts'

export const RATE_PLAN = 'rp_bench'

/** A room's id ends with its number, which no other room of the benchmark has. */
export const roomId = (number: number): string => `rm_bench_${number}`

/** The number in a room's id. */
export const roomNumber = (id: string): number => Number(id.slice('rm_bench_'.length))

/** A property and its connection. */
export interface BenchProperty extends SignedConnection {
  /** Numbers of its rooms. */
  rooms: number[]
}

const room = (number: number) => ({
  room_id: roomId(number),
  name: `Room ${number}`,
  kind: 'private',
  total_units: 10,
  beds_per_unit: null,
  bed_type: null,
  occupancy: { base: 2, max: 2, max_adults: 2, max_children: 0 },
  status: 'active',
})

const snapshot = (property_id: string, rooms: readonly number[]) => ({
  property_id,
  version: 1,
  name: 'Benchmark',
  timezone: 'UTC',
  currency: 'EUR',
  country: 'DE',
  rooms: rooms.map(room),
  rate_plans: [
    {
      rate_plan_id: RATE_PLAN,
      name: 'Benchmark',
      room_ids: rooms.map(roomId),
      currency: 'EUR',
      pricing_model: 'per_room',
      occupancies: null,
      derived_from: null,
      status: 'active',
    },
  ],
})

/** Resolves with a property for each list of rooms, once ARI knows their catalogs. */
export async function prepare(demo: OwnStack, rooms: readonly number[][]): Promise<BenchProperty[]> {
  const { application_id } = applicationOf(demo)
  const api = new OperatorsApi(demo.ops.base_url, demo.ops.token, 'benchmark')
  await api.liftLimits(application_id)
  const idOf = (index: number): string => `prop_bench_${index}`
  await publish(demo.kafka.brokers, { properties: rooms.map((each, index) => snapshot(idOf(index), each)) })
  const properties: BenchProperty[] = []
  for (const [index, each] of rooms.entries()) {
    const id = idOf(index)
    const wanted = { application_id, source_property_id: id, external_property_id: `BENCH-${index}` }
    const property_id = await api.connect(wanted)
    properties.push({ property_id, signing: await api.issueSigning(property_id), rooms: each })
  }
  for (const property of properties) await untilServed(demo.base_url, property)
  return properties
}

async function untilServed(baseUrl: string, { property_id, signing }: SignedConnection): Promise<void> {
  const query = { property_id, date_from: '2027-01-01', date_to: '2027-01-01' }
  let status = 0
  const isServed = async () => ({ status } = await get(baseUrl, '/ari', query, signing)).status === 200
  await until(isServed, { within: 60_000, every: 200, complaint: () => `GET /ari answers ${status}` })
}
