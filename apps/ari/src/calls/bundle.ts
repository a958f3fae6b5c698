import type { Answer } from '@connectivity/mutations'
import type { PropertyCatalog } from '../catalogs/property-catalog.js'
import type { Call } from '../writing/call.js'
import type { Outcome } from '../writing/group-judgement.js'

/** A call with the promise of its answer. */
export interface WaitingCall extends Call {
  /** Latest time to wait for the property, ms since 1970. */
  deadline: number
  resolve: (answer: Answer & { replayed: boolean }) => void
  reject: (reason: unknown) => void
}

/** Small calls of one connection that share its turn, in the order of their arrival. Settled calls leave the bundle. */
export class Bundle {
  calls: WaitingCall[] = []

  constructor(
    readonly property: PropertyCatalog,
    readonly applicationId: string,
  ) {}

  /** Gives callers their outcomes; busy calls stay. */
  settle(outcomes: readonly Outcome[]): void {
    this.calls = this.calls.filter((call, index) => !isSettled(call, outcomes[index]!))
  }

  /** Refuses every call. */
  refuse(reason: unknown): void {
    for (const { reject } of this.calls.splice(0)) reject(reason)
  }

  /** Refuses the calls whose deadline has passed, at least the first. */
  refuseLate(reason: unknown): void {
    const now = Date.now()
    const isLate = ({ deadline }: WaitingCall, index: number) => index === 0 || deadline <= now
    const late = this.calls.filter(isLate)
    this.calls = this.calls.filter((call) => !late.includes(call))
    for (const { reject } of late) reject(reason)
  }
}

function isSettled({ resolve, reject }: WaitingCall, outcome: Outcome): boolean {
  if (outcome === 'busy') return false
  if ('answer' in outcome) resolve(outcome.answer)
  else reject(outcome.refusal)
  return true
}
