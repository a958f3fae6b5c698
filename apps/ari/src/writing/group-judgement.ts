import { ServiceError } from '@connectivity/contracts/errors'
import type { AriUpdated } from '@connectivity/contracts/ari-events'
import { type Answer, storedRefusal } from '@connectivity/mutations'
import type { Call } from './call.js'
import { type Fault, rejection } from '../judgement/fault.js'
import type { Judgement } from '../judgement/judgement.js'
import type { LockedProperty } from '../cells/locked-property.js'
import { givesStays, stayFaults } from '../judgement/stay-faults.js'
import { writtenAnswer } from './written.view.js'

/** A call with the part of its judgement that does not depend on stored cells. */
export interface JudgedCall extends Call {
  judgement: Judgement
}

/** Outcome of one call of a group. */
export type Outcome =
  | { answer: Answer & { replayed: boolean } }
  /** An error to throw to the caller; no answer is stored. */
  | { refusal: unknown }
  /** Nothing was done, because another transaction holds the property. */
  | 'busy'

/** A message about applied updates, with the trace of their call. */
type TracedUpdate = Omit<AriUpdated, 'part' | 'parts'> & Pick<Call, 'traceparent'>

/** Results of a group, call by call. */
export interface GroupJudgement {
  outcomes: Outcome[]
  /** Answers to store. */
  answered: { request: Call['mutation']; answer: Answer }[]
  /** Messages to publish, in the order of revisions of each property. */
  updates: TracedUpdate[]
  /** Faults of the refused calls; a list for each. */
  faults: Fault[][]
  /** Cells of the applied calls. */
  cells: { written: number; unchanged: number }
}

/**
 * Judges calls in order, each on the cells as the calls before it left them.
 * @param before the stored answer of each call's key, or its refusal
 * @param properties the locked ones, by id, whose cells and revisions the calls change; calls of others are busy
 */
export function judgeGroup(
  calls: readonly JudgedCall[],
  before: readonly (Answer | ServiceError | null)[],
  properties: ReadonlyMap<string, LockedProperty>,
): GroupJudgement {
  const group: GroupJudgement = {
    outcomes: [],
    answered: [],
    updates: [],
    faults: [],
    cells: { written: 0, unchanged: 0 },
  }
  group.outcomes = calls.map((call, index) => {
    const known = before[index]!
    if (known instanceof ServiceError) return { refusal: known }
    if (known) return { answer: { ...known, replayed: true } }
    const property = properties.get(call.catalog.propertyId)
    if (!property) return 'busy'
    const answer = answerTo(call, property, group)
    group.answered.push({ request: call.mutation, answer })
    return { answer: { ...answer, replayed: false } }
  })
  return group
}

function answerTo(call: JudgedCall, property: LockedProperty, group: GroupJudgement): Answer {
  const { judgement, mutation } = call
  const contradictions = property.cells.contradictions(judgement.runs.filter(givesStays))
  const faults = [...judgement.faults, ...stayFaults(contradictions)]
  if (faults.length === 0) return apply(call, property, group)
  group.faults.push(faults)
  return storedRefusal(rejection(faults), mutation.correlationId)
}

function apply(call: JudgedCall, property: LockedProperty, group: GroupJudgement): Answer {
  const { judgement, body, traceparent } = call
  const { connectionId: connection_id, propertyId: property_id } = call.catalog
  const { runs, currency, updates, cells } = judgement
  const revision = property.revision + 1
  const written = property.cells.merge(runs, { connectionId: connection_id, revision, currency })
  if (written > 0) property.revision = revision
  const applied = { ari_revision: property.revision, applied_at: new Date().toISOString() }
  if (written > 0) group.updates.push({ property_id, connection_id, ...applied, currency, updates, traceparent })
  group.cells.written += written
  group.cells.unchanged += cells - written
  return { status: 200, headers: {}, body: JSON.stringify(writtenAnswer(body, applied, { ...judgement, written })) }
}
