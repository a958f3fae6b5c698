// Cost of a page of a connection in pilot, whose pages are graded, compared with one in production.
import type { DemoConnection } from '@connectivity/toolkit/hand-over'
import { cpuBetween, cpuOf, type Pids } from '@connectivity/toolkit/cpu'
import { OperatorsApi } from '@connectivity/toolkit/operators-api'
import type { OwnStack } from '@connectivity/toolkit/own-stack'
import { pullFeed, type SignedConnection } from '@connectivity/toolkit/partner'
import { lowerQuartile } from '@connectivity/toolkit/statistics'
import { until } from '@connectivity/toolkit/until'
import { load, signedPoll } from './load.ts'
import { type Report, sumOf } from './report/report.ts'

const ROUNDS = 4
const SECONDS = 4
const WARM_UP = 3
const ARRIVAL = 60_000

/** Connects the same property for another partner, in pilot, and waits until its feed has as many rows. */
async function inPilot(demo: OwnStack, production: DemoConnection): Promise<SignedConnection> {
  const api = new OperatorsApi(demo.ops.base_url, demo.ops.token)
  const application_id = await api.createApplication('Pilot')
  await api.liftLimits(application_id)
  const { source_property_id } = production
  const property_id = await api.connect({ application_id, source_property_id, external_property_id: 'PILOT' })
  const pilot = { property_id, signing: await api.issueSigning(property_id) }
  const rowsOf = async (connection: SignedConnection) =>
    (await pullFeed(demo.base_url, connection)).reservations?.size ?? 0
  const wanted = await rowsOf(production)
  const hasAll = async () => (await rowsOf(pilot)) >= wanted
  await until(hasAll, { within: ARRIVAL, every: 500, complaint: () => 'the feed of the pilot was not filled' })
  return pilot
}

/** Reports pages of 50 of both, in turn. */
export async function comparePilot(
  demo: OwnStack,
  production: DemoConnection,
  pids: Pids,
  report: Report,
): Promise<void> {
  const pilot = await inPilot(demo, production)
  const candidates = [production, pilot].map(({ property_id, signing }) => ({
    poll: () => signedPoll(`property_id=${property_id}&limit=50`, signing),
    rounds: [] as { sum: number }[],
  }))
  for (const { poll } of candidates) await load(demo.base_url, poll, WARM_UP)
  for (let round = 0; round < ROUNDS; round++)
    for (const { poll, rounds } of candidates) {
      const before = cpuOf(pids)
      const { count } = await load(demo.base_url, poll, SECONDS)
      rounds.push({ sum: sumOf(cpuBetween(before, cpuOf(pids), count)) })
    }
  const [inProduction, graded] = candidates.map(({ rounds }) => lowerQuartile(rounds, ({ sum }) => sum).sum)
  const value = (graded ?? NaN) / (inProduction ?? NaN)
  report.figure({ name: 'page of 50 in pilot ÷ in production', value, unit: '×', atMost: 1.15 })
}
