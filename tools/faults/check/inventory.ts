// Writes of prices: applied once or not at all, as a whole, readable and on Kafka once they are answered 200.
import type { AriAnswer, AriUpdate, History, InventoryRead, RoomCell } from '../history/history-types.ts'

const CELLS_OF_A_BLOCK = 6
const ROOMS_OF_A_BLOCK = 2

/** Answers of each call, by its amount. */
type Calls = ReadonlyMap<string, readonly AriAnswer[]>
/** Cells by revision, in the order in which they lie in Kafka. */
type Revisions = ReadonlyMap<number, readonly RoomCell[]>

const grouped = <T, K>(list: readonly T[], keyOf: (one: T) => K): [K, T[]][] => [...Map.groupBy(list, keyOf)]

const callsOf = (ari: readonly AriAnswer[], property: string): Calls =>
  new Map(
    grouped(
      ari.filter((answer) => answer.property === property),
      ({ amount }) => amount,
    ),
  )

function checkAnswers(calls: Calls) {
  const duplicated: string[] = []
  const refused: string[] = []
  for (const [amount, answers] of calls) {
    const applied = answers.filter(({ status }) => status === 200)
    if (new Set(applied.map(({ revision }) => revision)).size > 1)
      duplicated.push(`the call ${amount} was answered with two revisions`)
    if (applied.some(({ isGood }) => !isGood)) refused.push(`the faulty call ${amount} was answered 200`)
  }
  return { duplicated, refused }
}

const revisionsOf = (updates: readonly AriUpdate[], property: string): Revisions =>
  new Map(updates.filter((one) => one.property === property).map(({ revision, cells }) => [revision, cells]))

function checkRevisions(revisions: Revisions, calls: Calls) {
  const duplicated: string[] = []
  const partial: string[] = []
  const revisionOf = new Map<string, number>()
  for (const [revision, cells] of revisions) {
    const amounts = new Set(cells.map(({ amount }) => amount))
    const [amount] = amounts
    const isWhole = amounts.size === 1 && new Set(cells.map(({ room }) => room)).size === ROOMS_OF_A_BLOCK
    if (!isWhole) partial.push(`revision ${revision} on Kafka holds a part of a call`)
    if (amount === undefined) continue
    if (calls.get(amount)?.some(({ isGood }) => !isGood))
      partial.push(`the faulty call ${amount} is revision ${revision}`)
    if (revisionOf.has(amount))
      duplicated.push(`the call ${amount} is revision ${revisionOf.get(amount)} and ${revision}`)
    revisionOf.set(amount, revision)
  }
  return { duplicated, partial }
}

/** First appearances on Kafka rise one by one. */
function checkSequence(revisions: Revisions) {
  const inOrder = [...revisions.keys()]
  const disordered = inOrder.filter((revision, at) => at > 0 && revision < inOrder[at - 1]!)
  const sorted = inOrder.toSorted((a, b) => a - b)
  const gaps = sorted.filter((revision, at) => at > 0 && revision !== sorted[at - 1]! + 1)
  return {
    disordered: disordered.map((revision) => `revision ${revision} came late on Kafka`),
    duplicated: gaps.map((revision) => `there is a gap before revision ${revision} on Kafka`),
  }
}

/** Amount of the call that made a revision. */
const amountOf = (revisions: Revisions, revision: number | null): string | undefined =>
  revision === null ? undefined : revisions.get(revision)?.[0]?.amount

function unpublished(calls: Calls, revisions: Revisions): string[] {
  return [...calls.values()]
    .flat()
    .filter(({ status, isGood }) => status === 200 && isGood)
    .filter(({ revision, amount }) => amountOf(revisions, revision) !== amount)
    .map(({ amount, revision }) => `the write ${amount}, answered with revision ${revision}, is not on Kafka`)
}

function checkRead({ cells, revision }: InventoryRead, revisions: Revisions) {
  const partial: string[] = []
  const stale: string[] = []
  for (const [, block] of grouped(cells, ({ block }) => block)) {
    const amounts = new Set(block.map(({ amount }) => amount))
    const isWhole = amounts.size === 1 && block.length === CELLS_OF_A_BLOCK
    if (!isWhole)
      partial.push(`a read at revision ${revision} shows ${[...amounts]} in ${block.length} cells of a block`)
    if (![...amounts].every((amount) => isKnown(revisions, amount)))
      stale.push(`a read shows ${[...amounts]}, which no revision has`)
  }
  return { partial, stale }
}

const isKnown = (revisions: Revisions, amount: string): boolean =>
  [...revisions.values()].some(([cell]) => cell?.amount === amount)

/** A read must show every write that was answered 200 before it began. */
function unreadable({ ari, inventory }: History, property: string): string[] {
  const lost: string[] = []
  for (const { from, revision } of inventory.filter((read) => read.property === property)) {
    const before = ari.filter((answer) => answer.property === property && answer.status === 200 && answer.at < from)
    const latest = Math.max(0, ...before.map((answer) => answer.revision ?? 0))
    if (revision < latest) lost.push(`revision ${latest} was answered 200, a read later than that shows ${revision}`)
  }
  return lost
}

/** Checks that the last read shows the amount of the latest revision of each block. */
function checkLast({ ari, inventory }: History, property: string, revisions: Revisions): string[] {
  const last = inventory.filter((read) => read.property === property).at(-1)
  const shown = new Set<string | undefined>(last?.cells.map(({ amount }) => amount))
  const blockOfAmount = new Map(ari.map(({ property: own, amount, block }) => [`${own} ${amount}`, block]))
  const latest = new Map<number | undefined, { revision: number; amount: string | undefined }>()
  for (const revision of [...revisions.keys()].sort((a, b) => a - b)) {
    const amount = amountOf(revisions, revision)
    latest.set(blockOfAmount.get(`${property} ${amount}`), { revision, amount })
  }
  return [...latest.values()]
    .filter(({ amount }) => !shown.has(amount))
    .map(
      ({ revision, amount }) => `revision ${revision} (${amount}) is the latest of its block, the last read lacks it`,
    )
}

type Violations = Record<'lost' | 'stale' | 'duplicated' | 'disordered' | 'partial', string[]>

function checkProperty(history: History, property: string): Violations {
  const calls = callsOf(history.ari, property)
  const revisions = revisionsOf(history.updates, property)
  const answers = checkAnswers(calls)
  const published = checkRevisions(revisions, calls)
  const sequence = checkSequence(revisions)
  const reads = history.inventory.filter((read) => read.property === property && read.cells.length > 0)
  const seen = reads.map((read) => checkRead(read, revisions))
  return {
    lost: [...unpublished(calls, revisions), ...unreadable(history, property)],
    stale: [...seen.flatMap(({ stale }) => stale), ...checkLast(history, property, revisions)],
    duplicated: [...answers.duplicated, ...published.duplicated, ...sequence.duplicated],
    disordered: sequence.disordered,
    partial: [...answers.refused, ...published.partial, ...seen.flatMap(({ partial }) => partial)],
  }
}

export function checkInventory(history: History): Violations {
  const properties = [...new Set(history.connections.map(({ property }) => property))]
  const found = properties.map((property) => ({ property, violations: checkProperty(history, property) }))
  const of = (kind: keyof Violations) =>
    found.flatMap(({ property, violations }) => violations[kind].map((what) => `${property}: ${what}`))
  return {
    lost: of('lost'),
    stale: of('stale'),
    duplicated: of('duplicated'),
    disordered: of('disordered'),
    partial: of('partial'),
  }
}
