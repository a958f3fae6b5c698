import { ThrottledLog } from '@connectivity/service-kit/logging'

/** A partition, as a log line names it. */
interface Source {
  topic: string
  partition: number
}

/** Fields of one line: the count since the previous line, and the offsets of the first and the last occurrence. */
export interface MessageLine extends Source {
  reason: string
  count: number
  first_offset: string
  last_offset: string
  err?: unknown
}

/** Logs messages that cause trouble: at most one line per topic, partition and reason in 10 s. */
export class MessageLog {
  private readonly log: ThrottledLog<Source>

  constructor(write: (line: MessageLine) => void) {
    this.log = new ThrottledLog(({ place, reason, count, first, last, err }) =>
      write({ ...place, reason, count, first_offset: first, last_offset: last, ...(err !== undefined && { err }) }),
    )
  }

  /** Writes a line, or counts the message for the next summary of its partition and reason. */
  note({ topic, partition }: Source, offset: bigint, reason: string, err?: unknown): void {
    this.log.note({ place: { topic, partition }, reason, position: offset.toString(), err })
  }

  /** Writes the pending summaries. */
  stop(): void {
    this.log.stop()
  }
}
