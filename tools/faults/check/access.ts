// Requests that were admitted although they had to be refused, and good requests that were refused.
import type { Failure, History, Period } from '../history/history-types.ts'

const LET_IN = (status: number): boolean => status >= 200 && status < 400

/** A refusal is always a violation; other failures are allowed unless the history forbids them for that time. */
const isUndeserved = ({ answer }: Failure): boolean => /^4(?!29)\d\d /.test(answer)

/** The period in which the request may not fail, if there is one. */
function mayNotFail({ from, at }: Failure, noFailure: readonly Period[]): Period | undefined {
  return noFailure.find((time) => at >= time.from && from <= time.at)
}

export function checkAccess({ intrusions, failures, noFailure, unrecovered }: History) {
  const words = ({ what, answer }: Failure) => `${what}: ${answer}`
  return {
    unauthorised: intrusions
      .filter(({ status, isInForce }) => isInForce && LET_IN(status))
      .map(({ what, status }) => `${what} was answered ${status}`),
    failed: [
      ...unrecovered.map(({ name, error }) => `after ${name}: ${error}`),
      ...failures
        .map((failure) => ({ failure, time: mayNotFail(failure, noFailure) }))
        .filter(({ failure, time }) => time || isUndeserved(failure))
        .map(({ failure, time }) => (time ? `${words(failure)}, during ${time.name}` : words(failure))),
    ],
  }
}
