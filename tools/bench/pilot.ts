// Cost of a page of a connection in pilot, whose pages are graded, compared with one in production.
import type { DemoConnection } from '@connectivity/toolkit/hand-over'
import type { Pids } from '@connectivity/toolkit/cpu'
import { OperatorsApi } from '@connectivity/toolkit/operators-api'
import type { OwnStack } from '@connectivity/toolkit/own-stack'
import { pullFeed, type SignedConnection } from '@connectivity/toolkit/partner'
import { until } from '@connectivity/toolkit/until'
import { signedPoll } from './load.ts'
import type { Report } from './report/report.ts'
import { inRounds } from './rounds.ts'

const ARRIVAL = 60_000

/** Connects the same property for another partner, in pilot, and waits until its feed has as many rows. */
async function inPilot(demo: OwnStack, production: DemoConnection): Promise<SignedConnection> {
  const api = new OperatorsApi(demo.ops.base_url, demo.ops.token, 'benchmark')
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
  const [inProduction, graded] = await inRounds(
    [production, pilot].map(({ property_id, signing }) => ({
      origin: demo.base_url,
      pids,
      poll: () => signedPoll(`property_id=${property_id}&limit=50`, signing),
    })),
  )
  const value = (graded?.sum ?? NaN) / (inProduction?.sum ?? NaN)
  report.figure({ name: 'page of 50 in pilot ÷ in production', value, unit: '×', atMost: 1.15 })
}
