import { Injectable } from '@nestjs/common'
import { showKeptBytes } from './answer-metrics.js'

const MIB = 1024 * 1024

/** Bytes of answers that one process keeps for clients that have not read them yet. */
const BUDGET = 64 * MIB
/** While less than this is kept, no application waits for memory. */
const PLENTY = BUDGET / 4
/** Kept bytes above which the largest reader is ended at any speed: requests in flight may exceed the budget. */
const CEILING = 2 * BUDGET
/** Longest answer that is kept whole, bytes: a page of 4 MiB. A longer one is read as fast as its client reads. */
export const LARGEST_KEPT_ANSWER = 4 * MIB + 64 * 1024
/** Readers slower than this may be ended when others need their memory, bytes per second. */
const SLOWEST_RATE = 64 * 1024
/** Interval over which a reader is measured, ms; socket buffers can hide for seconds that a client reads. */
export const MEASURED_FOR = 5_000

/** Resource for which a reader was ended. */
export type EndedFor = 'memory' | 'connection'

/** The application and the memory that an answer counts against while its client reads. */
export interface Account {
  applicationId: string
  memory: AnswerMemory
}

/** An answer that a client is reading, as `AnswerMemory` sees it. */
export interface Reader {
  readonly applicationId: string
  /** Bytes that the client has not read yet. */
  readonly kept: number
  /** Bytes that the client has read. */
  readonly taken: number
  /** Whether its service is paused until the client has read some of the kept bytes. */
  readonly isPaused: boolean
  /** Drops the answer and releases its bytes. */
  end: (reason: EndedFor) => void
}

/** A queue of requests that wait for memory. */
export interface WaitingLine {
  /** Applications with waiting requests. */
  waiting: () => Iterable<string>
  /** Called when memory was released. */
  resume: () => void
}

/** Last measurement of a reader. */
interface Seen {
  taken: number
  /** Whether it kept any bytes. */
  kept: boolean
  isSlow: boolean
  /** Bytes per second since the previous measurement. */
  rate: number
}

interface Share {
  kept: number
  /** Bytes that the answers to requests in flight may have. */
  claimed: number
}

/**
 * Memory for answers that clients read more slowly than services send them. An application may keep as much as is left
 * free: one alone half of the budget, two a third each, so that some is always left for the next. An application whose
 * clients have read all answers never waits. When an application has to wait because others keep more, their slowest
 * readers are ended.
 */
@Injectable()
export class AnswerMemory {
  private readonly shares = new Map<string, Share>()
  private readonly readers = new Map<Reader, Seen>()
  private readonly lines: WaitingLine[] = []
  private timer: NodeJS.Timeout | undefined
  private kept = 0
  private claimed = 0

  constructor() {
    showKeptBytes(() => this.kept)
  }

  /** Bytes kept now. */
  get keptBytes(): number {
    return this.kept
  }

  /** Number of applications that keep bytes or have a request in flight. */
  get applications(): number {
    return this.shares.size
  }

  /** Registers a queue; it reports waiting applications and is notified when memory is released. */
  serve(line: WaitingLine): void {
    this.lines.push(line)
  }

  /** Whether an application may send another request whose answer has up to `bytes` bytes. */
  hasRoomFor(applicationId: string, bytes: number): boolean {
    if (this.kept <= PLENTY) return true
    const keepsNothing = !this.shares.get(applicationId)?.kept
    return keepsNothing || this.ownOf(applicationId) + bytes <= BUDGET - this.kept - this.claimed
  }

  /** Reserves `bytes` for the answer to a request in flight; call `unclaim` when the answer has arrived. */
  claim(applicationId: string, bytes: number): void {
    this.shareOf(applicationId).claimed += bytes
    this.claimed += bytes
  }

  /** Gives back what `claim` has reserved, and wakes requests that wait for room. */
  unclaim(applicationId: string, bytes: number): void {
    this.shareOf(applicationId).claimed -= bytes
    this.claimed -= bytes
    this.forget(applicationId)
    this.wake()
  }

  /** Registers the reader of an answer; call `close` when its answer has ended. */
  open(reader: Reader): void {
    this.readers.set(reader, { taken: 0, kept: false, isSlow: false, rate: 0 })
  }

  /** Adds `bytes`, which may be negative, to the kept bytes of a reader. */
  change({ applicationId }: Reader, bytes: number): void {
    this.shareOf(applicationId).kept += bytes
    this.kept += bytes
    if (bytes > 0) return this.whenMore()
    this.forget(applicationId)
    this.wake()
  }

  /** Removes a reader that keeps no more bytes. */
  close(reader: Reader): void {
    this.readers.delete(reader)
  }

  /** Ends slow readers until no application waits for their memory. */
  relieve(): void {
    if (this.kept <= PLENTY) return
    for (let victim = this.victim(); victim; victim = this.victim()) victim.end('memory')
  }

  private whenMore(): void {
    this.timer ??= setInterval(() => this.measure(), MEASURED_FOR).unref()
    while (this.kept > CEILING) this.biggest().end('memory')
  }

  /** The largest reader of the application that keeps the most. */
  private biggest(): Reader {
    const size = ({ applicationId, kept }: Reader) => this.shareOf(applicationId).kept * CEILING + kept
    return [...this.readers.keys()].reduce((biggest, each) => (size(each) > size(biggest) ? each : biggest))
  }

  private wake(): void {
    for (const line of this.lines) line.resume()
  }

  /** Measures all readers and ends each slow one that holds a connection to a service. */
  private measure(): void {
    for (const [reader, seen] of this.readers) {
      const { taken, kept } = reader
      seen.rate = (taken - seen.taken) / (MEASURED_FOR / 1000)
      seen.isSlow = seen.kept && kept > 0 && seen.rate < SLOWEST_RATE
      seen.taken = taken
      seen.kept = kept > 0
      if (seen.isSlow && reader.isPaused) reader.end('connection')
    }
    this.relieve()
    if (this.kept > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }

  private victim(): Reader | undefined {
    const least = this.kept > BUDGET ? -1 : this.leastWaiting()
    let slowest: [Reader, Seen] | undefined
    for (const each of this.readers) {
      const [{ applicationId }, { isSlow, rate }] = each
      if (!isSlow || this.ownOf(applicationId) <= least) continue
      if (!slowest || rate < slowest[1].rate) slowest = each
    }
    return slowest?.[0]
  }

  /** Bytes of the waiting application that keeps the least; Infinity when none waits for memory. */
  private leastWaiting(): number {
    let least = Infinity
    for (const line of this.lines) {
      for (const applicationId of line.waiting()) {
        if (!this.hasRoomFor(applicationId, LARGEST_KEPT_ANSWER)) least = Math.min(least, this.ownOf(applicationId))
      }
    }
    return least
  }

  private ownOf(applicationId: string): number {
    const share = this.shares.get(applicationId)
    return share ? share.kept + share.claimed : 0
  }

  private shareOf(applicationId: string): Share {
    const known = this.shares.get(applicationId)
    if (known) return known
    const share = { kept: 0, claimed: 0 }
    this.shares.set(applicationId, share)
    return share
  }

  private forget(applicationId: string): void {
    const share = this.shares.get(applicationId)!
    if (share.kept === 0 && share.claimed === 0) this.shares.delete(applicationId)
  }
}
