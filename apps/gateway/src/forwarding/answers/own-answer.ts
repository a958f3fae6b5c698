import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { resetConnection } from '../../http/connections/reset-connection.js'
import type { Account, Reader } from './answer-memory.service.js'
import { slowReadersEnded } from './answer-metrics.js'
import { ANSWER_DEADLINE, type SlowReader } from './streamed-answer.js'

/** Bytes that are handed to the client's connection at once. */
const PIECE = 64 * 1024

/** A whole answer of the gateway, handed over as fast as its client reads; what the client has not read is counted. */
export class OwnAnswer implements Reader {
  /** The body, for the client. */
  readonly stream: Readable
  readonly applicationId: string
  readonly isPaused = false
  taken = 0
  private given = 0
  private readonly deadline = setTimeout(() => this.end('deadline'), ANSWER_DEADLINE)

  constructor(
    private readonly body: Buffer,
    private readonly account: Account,
    private readonly reply: FastifyReply,
  ) {
    this.applicationId = account.applicationId
    this.stream = new Readable({ highWaterMark: PIECE, read: () => this.next() })
    reply.raw.once('close', () => this.close())
    // For a client that had left before, the stream is destroyed unread.
    this.stream.once('close', () => this.stream.readableEnded || this.close())
    account.memory.open(this)
    account.memory.change(this, body.length)
  }

  get kept(): number {
    return this.body.length - this.taken
  }

  end(needed: SlowReader['needed']): void {
    slowReadersEnded.inc({ needed })
    const { socket } = this.reply.raw
    if (socket) resetConnection(socket)
    this.close()
    this.stream.destroy()
  }

  /** Called when the stream has room for a piece, before its client has read the pieces before. */
  private next(): void {
    this.count(this.given - this.stream.readableLength - this.reply.raw.writableLength)
    const piece = this.body.subarray(this.given, this.given + PIECE)
    this.given += piece.length
    this.stream.push(piece.length > 0 ? piece : null)
  }

  /** Releases the bytes; further calls do nothing. */
  private close(): void {
    clearTimeout(this.deadline)
    this.count(this.body.length)
    this.account.memory.close(this)
  }

  private count(taken: number): void {
    const bytes = taken - this.taken
    this.taken = Math.max(taken, this.taken)
    if (bytes > 0) this.account.memory.change(this, -bytes)
  }
}
