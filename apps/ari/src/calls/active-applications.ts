/** Time for which an application counts as active after its last call, ms. */
const ACTIVE_FOR = 1_000

/** Knows whether others call beside an application; remembers only the two that called last. */
export class ActiveApplications {
  /** Times of their last calls, the last one first, ms of `performance.now`. */
  private latest: readonly { applicationId: string; at: number }[] = []

  /** Notes that an application calls now. */
  note(applicationId: string): void {
    const other = this.latest.find((one) => one.applicationId !== applicationId)
    const now = { applicationId, at: performance.now() }
    this.latest = other ? [now, other] : [now]
  }

  /** Whether another application has called within the last second. */
  hasOther(applicationId: string): boolean {
    const since = performance.now() - ACTIVE_FOR
    return this.latest.some((one) => one.applicationId !== applicationId && one.at > since)
  }
}
