// Digests: the digest of the rows that a partner holds by the algorithm always equals the service's digest.
import { DigestSum } from '@connectivity/contracts/digest-sum'
import type { AnsweredDigest, History, Row } from '../history/history-types.ts'

/** The partner's digest of its rows up to the checkpoint, without those that have changed since. */
function digestOf(store: ReadonlyMap<string, Row>, { checkpoint, moved }: AnsweredDigest): DigestSum {
  const left = new Set(moved)
  const sum = new DigestSum()
  for (const { id, updated_at, isProblem } of store.values())
    if (updated_at <= checkpoint && !left.has(id)) sum.add(updated_at, isProblem ? 'problem' : 'reservation', id)
  return sum
}

function differencesOf({ pages, digests }: History, connection: string): string[] {
  const store = new Map<string, Row>()
  const own = pages.filter((page) => page.connection === connection)
  const wrong: string[] = []
  let taken = 0
  for (const answered of digests.filter((digest) => digest.connection === connection)) {
    for (const { rows } of own.slice(taken, answered.pages)) for (const row of rows) store.set(row.id, row)
    taken = answered.pages
    const sum = digestOf(store, answered)
    if (sum.rows === answered.rows && sum.digest() === answered.digest) continue
    wrong.push(
      `${connection}: ${sum.rows} rows at the partner, ${answered.rows} at the service, with other digests at ${answered.checkpoint}`,
    )
  }
  return wrong
}

/** Differences count as stale: the partner's rows differ from the service's. */
export const checkDigests = (history: History): { stale: string[] } => ({
  stale: history.connections.flatMap(({ connection }) => differencesOf(history, connection)),
})
