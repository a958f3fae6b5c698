// Findings of a run of requests.
import type { Cost } from '../cost/bound.ts'
import type { Amounts } from '../cost/processes.ts'
import type { Statuses } from '../model/judgement.ts'
import { type Input, printed, sizeOf } from '../model/request.ts'

/** Inputs listed as the slowest: more than there are operations with huge bodies, so that others are among them. */
const SLOWEST = 15
/** Failures of one operation that are printed; all are counted. */
const PRINTED_FAILURES = 3

/** A line that names an input: operation, distortions, size. */
const nameOf = (operation: string, { request, distortions }: Input): string =>
  `${operation}, ${distortions.length === 0 ? 'good' : distortions.join(' + ')}, ${sizeOf(request)} bytes`

interface Slow {
  name: string
  cost: Cost
}

export class Outcome {
  sent = 0
  failed = 0
  readonly statuses = new Map<string, Statuses>()
  /** Texts of failures by operation. */
  readonly failures = new Map<string, string[]>()
  /** Inputs that were measured one by one, most expensive first. */
  readonly slowest: Slow[] = []
  /** Memory of each process, a sample for each round. */
  readonly memory: Amounts[] = []

  /** @param operations names of those that requests are sent to */
  constructor(operations: readonly string[]) {
    for (const name of operations) this.statuses.set(name, new Map())
  }

  answered(operation: string, status: number): void {
    const times = this.statuses.get(operation)!
    times.set(status, (times.get(status) ?? 0) + 1)
    this.sent += 1
  }

  measured(operation: string, input: Input, cost: Cost): void {
    this.slowest.push({ name: nameOf(operation, input), cost })
    this.slowest.sort((one, other) => other.cost.ms - one.cost.ms)
    this.slowest.splice(SLOWEST)
  }

  /** True while failures of the operation are still printed, and worth shrinking. */
  isNews(operation: string): boolean {
    return (this.failures.get(operation)?.length ?? 0) < PRINTED_FAILURES
  }

  fail(operation: string, input: Input, faults: readonly string[]): void {
    this.failed += 1
    if (!this.isNews(operation)) return
    const text = [nameOf(operation, input), printed(input.request), ...faults].join('\n  ')
    this.failures.set(operation, [...(this.failures.get(operation) ?? []), text])
  }
}
