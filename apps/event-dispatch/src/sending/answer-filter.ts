import type { Socket } from 'node:net'
import { SendFailure } from './send-failure.js'

const KIB = 1024

/**
 * Bounds on one answer of a receiver. Together they keep an attempt below about 10 ms of CPU and 100 KiB of memory. The
 * sender limits the time of the attempt.
 */
export const ANSWER_LIMITS = {
  /** Interim answers (1xx). Receivers send none, or 100 and one or two times 103. */
  interim: 4,
  /** Bytes up to the end of the final head, interim answers included. */
  headBytes: 64 * KIB,
  /** Lines up to the end of the final head. Each costs undici two calls and an entry: 64 KiB hold 16,000 of them. */
  headLines: 512,
  /** Bytes of an answer's body that are read. */
  body: 16 * KIB,
  /** Bytes after the head: the body and the frames of its chunks. Bytes that arrive after the answer count as well. */
  behindHead: 17 * KIB,
  /** Pieces in which an answer may arrive: each wakes the process, about 15 µs. */
  pieces: 2_048,
  /** Bytes of an answer as TLS carries it, a handshake with long certificates included. */
  wireBytes: 256 * KIB,
} as const

const LF = 0x0a
const NOTHING = Buffer.alloc(0)
const STATUS_LINE = /^HTTP\/\d\.\d [1-9]\d\d/
/** Characters of a line that are kept: the version and the status. */
const KEPT = 'HTTP/1.1 200'.length
const PROTOCOL_NAME = 'HTTP/'
const SWITCHING_PROTOCOLS = ' 101'

/**
 * Filters a connection's bytes before undici, which parses all that arrives and has no bound on interim answers, lines
 * or chunk frames. undici gets the final head in one piece, and never an interim answer.
 */
export class AnswerFilter {
  private awaitsHead = true
  /** Pieces of the section being read: an interim answer or the final head. */
  private section: Buffer[] = []
  private hasStatusLine = false
  private isInterim = false
  /** First characters of the line being read. */
  private line = ''
  private interim = 0
  private headBytes = 0
  private headLines = 0
  private behindHead = 0
  private pieces = 0
  private broken = false

  /** Resets the limits; call before the connection sends another request. */
  begin(): void {
    this.section = []
    this.line = ''
    this.hasStatusLine = this.isInterim = false
    this.interim = this.headBytes = this.headLines = this.behindHead = this.pieces = 0
    this.awaitsHead = true
  }

  /** Whether a limit is exceeded or the bytes are not HTTP; the connection cannot be used again. */
  get isBroken(): boolean {
    return this.broken
  }

  /** Takes bytes as they arrive. @returns the bytes that undici may parse now */
  take(bytes: Buffer): Buffer {
    this.pieces += 1
    if (this.pieces > ANSWER_LIMITS.pieces) return this.refuse()
    return this.awaitsHead ? this.takeHead(bytes) : this.takeBehindHead(bytes)
  }

  private takeHead(bytes: Buffer): Buffer {
    let sectionAt = 0
    for (let at = 0; at < bytes.length && !this.broken;) {
      const feed = bytes.indexOf(LF, at)
      const end = feed === -1 ? bytes.length : feed + 1
      this.takeLine(bytes, at, end)
      at = end
      if (feed === -1 || !this.endsSection()) continue
      if (!this.isInterim) return this.wholeHead(bytes, sectionAt, end)
      this.dropInterim()
      sectionAt = end
    }
    if (!this.broken) this.section.push(bytes.subarray(sectionAt))
    return NOTHING
  }

  /** Reads a line, or the part of it that has arrived. */
  private takeLine(bytes: Buffer, from: number, to: number): void {
    this.headBytes += to - from
    if (this.line.length < KEPT) {
      this.line += bytes.toString('latin1', from, Math.min(to, from + KEPT - this.line.length))
      if (!this.mayBeAnswer()) this.refuse()
    }
    if (this.headBytes > ANSWER_LIMITS.headBytes) this.refuse()
  }

  /** Decides before the line ends, so that a receiver of another protocol is refused without waiting. */
  private mayBeAnswer(): boolean {
    if (this.hasStatusLine || this.isBlank()) return true
    if (this.line.length === KEPT) return STATUS_LINE.test(this.line) && !this.line.endsWith(SWITCHING_PROTOCOLS)
    return this.line.startsWith(PROTOCOL_NAME.slice(0, this.line.length))
  }

  private isBlank(): boolean {
    return this.line === '\r' || this.line === '\n' || this.line === '\r\n'
  }

  /** Ends a complete line. @returns whether it is the blank line after a head */
  private endsSection(): boolean {
    const [isBlank, line] = [this.isBlank(), this.line]
    this.headLines += 1
    if (this.headLines > ANSWER_LIMITS.headLines) this.refuse()
    this.line = ''
    if (isBlank) return this.hasStatusLine
    if (this.hasStatusLine) return false
    if (line.length < KEPT) this.refuse()
    this.hasStatusLine = true
    this.isInterim = line.at(-3) === '1'
    return false
  }

  private dropInterim(): void {
    this.section = []
    this.hasStatusLine = false
    this.interim += 1
    if (this.interim > ANSWER_LIMITS.interim) this.refuse()
  }

  private wholeHead(bytes: Buffer, from: number, to: number): Buffer {
    const pieces = [...this.section, bytes.subarray(from, to)]
    this.section = []
    this.awaitsHead = false
    return Buffer.concat([...pieces, this.takeBehindHead(bytes.subarray(to))])
  }

  private takeBehindHead(bytes: Buffer): Buffer {
    const allowed = bytes.subarray(0, ANSWER_LIMITS.behindHead - this.behindHead)
    this.behindHead += allowed.length
    if (allowed.length < bytes.length) this.refuse()
    return allowed
  }

  private refuse(): Buffer {
    this.broken = true
    this.section = []
    return NOTHING
  }
}

/** Lets undici read a connection only through the filter, and ends the connection once the filter is broken. */
export function readThrough(filter: AnswerFilter, socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null
  socket.read = (size?: number): Buffer | null => {
    while (!filter.isBroken) {
      const bytes = read(size)
      if (bytes === null) return null
      const passed = filter.take(bytes)
      if (passed.length > 0) return passed
    }
    socket.destroy(new SendFailure('protocol_error'))
    return null
  }
}
