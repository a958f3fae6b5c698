// Requests that were admitted without the right, and those refused despite it.
const LET_IN = (status) => status >= 200 && status < 400

/** A refusal is always a violation; other failures are allowed unless the history forbids them for that time. */
const isUndeserved = ({ answer }) => /^4(?!29)\d\d /.test(answer)

function mayNotFail({ from, at }, noFailure) {
  return noFailure.find((time) => at >= time.from && from <= time.at)
}

/** @param {import('../history/history.mjs').History} history */
export function checkAccess({ intrusions, failures, noFailure, unrecovered }) {
  const words = ({ what, answer }) => `${what}: ${answer}`
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
