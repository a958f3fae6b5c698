/** A partner's progress with its feed. Stamps, ms. */
export interface Progress {
  /** Greatest stamp on any page that was ever served; 0 when every page was empty. */
  servedTo: number
  /** Stamp up to which everything has been processed, as polls imply; 0 if they imply nothing. */
  processedTo: number
  /** Time of the poll that last raised `processedTo`, ms; null for a connection that polled before polls were noted. */
  processedAt: number | null
}

/** A poll that was answered 200 or 304. */
export interface AnsweredPoll {
  /** First stamp that the page could contain; 0 without a bound. */
  from: number
  /** Stamp that the request implies: a partner that polls from a checkpoint has processed everything up to it. */
  implied: number
  /** Greatest stamp on the page; null when it is empty. */
  last: number | null
  /** Time of the answer, ms. */
  at: number
}

/**
 * Whether a poll proves progress. A poll with an empty page does so only if it begins right after the last served
 * stamp: a client that takes its checkpoint from the clock polls further ahead and must not count as up to date.
 */
const counts = ({ from, last }: AnsweredPoll, servedTo: number): boolean => last !== null || from <= servedTo + 1

/** Stamp that a counting poll implies. An empty page begins after the last row. */
const claimOf = ({ from, implied, last }: AnsweredPoll): number => (last === null ? Math.max(0, from - 1) : implied)

/**
 * Progress after a poll. It never decreases, and never passes what was served.
 * @param before null for the first poll
 */
export function advance(before: Progress | null, poll: AnsweredPoll): Progress {
  const servedBefore = before?.servedTo ?? 0
  const servedTo = Math.max(servedBefore, poll.last ?? 0)
  const claimed = counts(poll, servedBefore) ? Math.min(claimOf(poll), servedTo) : 0
  if (before && claimed <= before.processedTo) return { ...before, servedTo }
  return { servedTo, processedTo: claimed, processedAt: poll.at }
}

/** Whether a poll changes the progress. */
export function advances(known: Progress, poll: AnsweredPoll): boolean {
  const after = advance(known, poll)
  return after.servedTo !== known.servedTo || after.processedTo !== known.processedTo
}

/** Whether a poll may change the progress, known from an earlier moment: idle polls do not. */
export const mayAdvance = (known: Progress, poll: AnsweredPoll): boolean =>
  advances(known, poll) || !counts(poll, known.servedTo)

/** Polls that did not count yet: another process may have served the rows that they follow. */
export const undecided = (progress: Progress, polls: readonly AnsweredPoll[]): AnsweredPoll[] =>
  polls.filter((poll) => !counts(poll, progress.servedTo))
