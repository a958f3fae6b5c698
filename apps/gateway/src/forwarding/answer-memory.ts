import { Injectable } from '@nestjs/common'
import { showKeptBytes } from './answer-metrics.js'

const MIB = 1024 * 1024

/** Bytes of answers that one process keeps for clients that have not read them yet. */
const BUDGET = 64 * MIB
/** While less than this is kept, no application waits for memory. */
const PLENTY = BUDGET / 4
/** From here on the reader that keeps the most is ended however fast it reads: requests under way may exceed the budget. */
const CEILING = 2 * BUDGET
/** A page is at most 4 MiB; a single reservation or event may be larger and is then read from its service as it is taken. */
export const LARGEST_KEPT_ANSWER = 4 * MIB + 64 * 1024
/** Readers below this may be ended when others need their memory, bytes per second. */
const SLOWEST_RATE = 64 * 1024
/** How long a reader is measured, ms; the system's own buffers take up to seconds to show that a client reads. */
export const MEASURED_FOR = 5_000

/** Why a reader was ended. */
export type EndedFor = 'memory' | 'connection'

/** An answer on its way to a client, as far as its memory is concerned. */
export interface Reader {
  readonly applicationId: string
  /** Bytes that the client has not taken yet. */
  readonly kept: number
  /** Bytes that it has taken. */
  readonly taken: number
  /** Whether its service has more, which waits until the client has taken some of what is kept. */
  readonly isPaused: boolean
  /** Drops the answer and gives its bytes back. */
  end: (reason: EndedFor) => void
}

/** Where requests wait until their application may have more memory. */
export interface WaitingLine {
  /** Applications whose turn it would be. */
  waiting: () => Iterable<string>
  /** Called when memory was given back. */
  goOn: () => void
}

/** What was seen of a reader when it was looked at last. */
interface Seen {
  taken: number
  /** Whether it kept something. */
  kept: boolean
  isSlow: boolean
  /** Bytes per second since the look before. */
  rate: number
}

interface Share {
  kept: number
  /** Bytes that requests under way may bring. */
  claimed: number
}

/**
 * The memory for answers that clients read more slowly than services give them. An application may keep as much as is
 * left free: one alone half of the budget, two a third each, so that there is always something left for the next.
 * One that keeps nothing and has no request under way never waits. When an application has to wait because others keep
 * more, their slowest readers are ended.
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

  /** Bytes that are kept now. */
  get keptBytes(): number {
    return this.kept
  }

  /** Applications that keep something or have a request under way. */
  get applications(): number {
    return this.shares.size
  }

  /** Registers a line that is asked who waits and told when it may go on. */
  serve(line: WaitingLine): void {
    this.lines.push(line)
  }

  /** Whether an application may send another request whose answer may have so many bytes. */
  hasRoomFor(applicationId: string, bytes: number): boolean {
    if (this.kept <= PLENTY) return true
    const own = this.ownOf(applicationId)
    return own === 0 || own + bytes <= BUDGET - this.kept - this.claimed
  }

  /** A request is under way whose answer may have so many bytes; `unclaim` when the answer is here. */
  claim(applicationId: string, bytes: number): void {
    this.shareOf(applicationId).claimed += bytes
    this.claimed += bytes
  }

  unclaim(applicationId: string, bytes: number): void {
    this.shareOf(applicationId).claimed -= bytes
    this.claimed -= bytes
    this.forget(applicationId)
    this.wake()
  }

  open(reader: Reader): void {
    this.readers.set(reader, { taken: 0, kept: false, isSlow: false, rate: 0 })
  }

  /** A reader keeps so many bytes more, or fewer. */
  change({ applicationId }: Reader, bytes: number): void {
    this.shareOf(applicationId).kept += bytes
    this.kept += bytes
    if (bytes > 0) return this.whenMore()
    this.forget(applicationId)
    this.wake()
  }

  /** The reader keeps nothing any more. */
  close(reader: Reader): void {
    this.readers.delete(reader)
  }

  /** Ends slow readers until nobody waits for what they keep. */
  relieve(): void {
    if (this.kept <= PLENTY) return
    for (let victim = this.victim(); victim; victim = this.victim()) victim.end('memory')
  }

  private whenMore(): void {
    this.timer ??= setInterval(() => this.look(), MEASURED_FOR).unref()
    while (this.kept > CEILING) this.biggest().end('memory')
  }

  /** Of the application that keeps the most. */
  private biggest(): Reader {
    const size = ({ applicationId, kept }: Reader) => this.ownOf(applicationId) * CEILING + kept
    return [...this.readers.keys()].reduce((biggest, each) => (size(each) > size(biggest) ? each : biggest))
  }

  private wake(): void {
    for (const line of this.lines) line.goOn()
  }

  /** Measures all readers; one that is slow and holds a connection to a service is ended in any case. */
  private look(): void {
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

  /** What the application keeps that keeps the least of those that wait for memory; infinite when none does. */
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
