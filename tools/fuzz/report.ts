// The report of a run, as text.
import type { Growth } from './cost/memory.ts'
import { leastSuccesses, seldomSuccessful, type Statuses, successesOf } from './model/judgement.ts'
import type { Outcome } from './requests/outcome.ts'
import type { TopicsOutcome } from './topics/run.ts'

/** Findings of a run. */
export interface Findings {
  /** Number of requested inputs. */
  inputs: number
  requests: Outcome
  topics: TopicsOutcome | null
  memory: Growth[]
  /** Processes that ended and were started again. */
  ended: string[]
}

const timesText = (times: Statuses): string =>
  [...times]
    .toSorted(([one], [other]) => one - other)
    .map(([status, count]) => `${status || 'no answer'} × ${count}`)
    .join(', ')

const mib = (value: number) => value.toFixed(0)

const growthText = ({ process, from, to, grows }: Growth): string =>
  `${grows ? 'GROWS ' : ''}${process} ${mib(from)} → ${mib(to)} MiB`

const slowestLines = ({ slowest }: Outcome): string[] =>
  slowest.map(({ name, cost: { process, ms } }) => `  ${ms.toFixed(1)} ms in ${process}: ${name}`)

const topicLines = ({ sent, failures, dearest: { topic, cost } }: TopicsOutcome): string[] => [
  ...failures,
  `${sent} messages; the most expensive ones cost ${cost.ms.toFixed(1)} ms each in ${cost.process}, on ${topic}`,
]

/** Number of failures of every kind. */
export function failuresOf({ inputs, requests, topics, memory, ended }: Findings): number {
  const grown = memory.filter(({ grows }) => grows).length
  const seldom = seldomSuccessful(requests.statuses, inputs).length
  return requests.failed + (topics?.failures.length ?? 0) + grown + seldom + ended.length
}

/** Lines of the report; the last one counts. */
export function reportOf(findings: Findings): string[] {
  const { inputs, requests, topics, memory, ended } = findings
  const seldom = seldomSuccessful(requests.statuses, inputs)
  return [
    ...[...requests.statuses].map(([name, times]) => `${name}: ${successesOf(times)} successes (${timesText(times)})`),
    ...[...requests.failures].flatMap(([name, texts]) => texts.map((text) => `\nFAIL ${name}\n  ${text}`)),
    ...seldom.map((name) => `FAIL ${name}: fewer than ${leastSuccesses(inputs)} successes`),
    ...ended.map((process) => `FAIL ended and was started again: ${process}`),
    `${requests.sent} requests; the slowest inputs:`,
    ...slowestLines(requests),
    ...(topics ? topicLines(topics) : []),
    `memory after the warm-up and at the end: ${memory.map(growthText).join(', ')}`,
    `${requests.sent + (topics?.sent ?? 0)} inputs, ${failuresOf(findings)} failures`,
  ]
}
