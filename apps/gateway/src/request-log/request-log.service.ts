import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common'
import { CLIENT_GONE } from '@connectivity/service-kit/http'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import type { PartnerRequest } from '../http/requests/partner-request.js'
import { KeyIdTags } from '../live/key-id-tags.service.js'
import { EntryQueue } from './entry-queue.js'
import { foldKeyOf } from './fold-key.js'
import { keyIdOf, type LogEntry, logEntryOf } from './logged-request.js'
import { droppedEntries } from './request-log-metrics.js'
import { RequestLogStore } from './request-log.store.js'

/** Entries of one statement. */
const BATCH = 1_000

/**
 * Records partners' requests for partners and operators. Nothing here delays or fails a request: entries wait in
 * memory, and a slow database costs the oldest of them.
 */
@Injectable()
export class RequestLog implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly queue = new EntryQueue((reason, count) => droppedEntries.inc({ reason }, count))
  private readonly loop: BackgroundLoop
  private isPrepared = false

  constructor(
    private readonly store: RequestLogStore,
    private readonly tags: KeyIdTags,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'REQUEST_LOG_WRITE_MILLISECONDS'>,
  ) {
    this.loop = BackgroundLoop.every(config.REQUEST_LOG_WRITE_MILLISECONDS, () => this.write())
  }

  /** Records the request once it has been answered. */
  follow({ http, reply }: PartnerRequest): void {
    // Emitted once, for finished and for aborted answers. Until then, only the request as admitted is kept.
    reply.raw.on('close', () => this.note(http.partner!))
  }

  /** Records a sign-in to the documentation if it fails and names an existing key or client. */
  followSignIn({ http, reply }: PartnerRequest): void {
    reply.raw.on('close', () => {
      const { facts } = http.partner!
      if (facts.caller === null && facts.keyId !== null) this.note(http.partner!)
    })
  }

  onApplicationBootstrap(): void {
    this.loop.start(this.config.REQUEST_LOG_WRITE_MILLISECONDS)
  }

  /** Runs when the last partner has been answered, before the database closes. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop()
    await this.write()
  }

  private note(partner: PartnerRequest): void {
    const { raw } = partner.reply
    const status = raw.headersSent ? raw.statusCode : CLIENT_GONE
    const foldKey = foldKeyOf(partner, status)
    if (foldKey !== null && this.queue.fold(foldKey)) return
    const entry = logEntryOf(partner, { status, bytes: ownBytes(partner) }, foldKey)
    if (entry.authenticated || this.queue.mayAddFailure(this.blamed(partner), entry.at)) this.queue.add(entry)
  }

  /** The key or client that a failure counts against, if it exists or did once; else the address. */
  private blamed(partner: PartnerRequest): string {
    const keyId = keyIdOf(partner)
    const isKnown = keyId !== null && (keyId === partner.facts.keyId || this.tags.isOurId(keyId))
    return isKnown ? keyId : partner.address
  }

  /**
   * Writes the first part and removes it. Halves one that the database refuses, down to the entries at fault, which are
   * left out.
   * @throws any other error of the database
   */
  private async writeFirst(parts: LogEntry[][]): Promise<void> {
    const entries = parts[0]!
    const half = entries.length >> 1
    try {
      await this.store.write(entries)
      parts.shift()
    } catch (err) {
      if (!isRefusedData(err)) throw err
      if (half > 0) return void parts.splice(0, 1, entries.slice(0, half), entries.slice(half))
      parts.shift()
      this.leaveOut(entries[0]!, err)
    }
  }

  private leaveOut({ correlationId, repeated }: LogEntry, err: unknown): void {
    this.log.warn({ err, correlation_id: correlationId }, 'the database refuses an entry of the request log')
    droppedEntries.inc({ reason: 'unwritable' }, repeated)
  }

  /** Writes waiting entries until none is left or the database fails. Never rejects. */
  private async write(): Promise<void> {
    while (this.queue.length > 0) {
      const parts = [this.queue.take(BATCH)]
      try {
        if (!this.isPrepared) await this.store.maintain()
        this.isPrepared = true
        while (parts.length > 0) await this.writeFirst(parts)
      } catch (err) {
        const entries = parts.flat()
        this.log.warn({ err, entries: entries.length }, 'request log was not written, trying again')
        this.queue.putBack(entries)
        return
      }
    }
  }
}

/**
 * SQLSTATE classes for which trying again does not help: two entries with one fold key (21), unfit values (22),
 * constraints (23), limits of PostgreSQL (54).
 */
const REFUSED_DATA = /^(2[123]|54)/

const isRefusedData = (error: unknown): boolean => REFUSED_DATA.test(String((error as { code?: unknown } | null)?.code))

/** Length of the body of an answer that the gateway made. */
const ownBytes = ({ reply }: PartnerRequest): number =>
  Number(reply.getHeader('content-length') ?? reply.raw.getHeader('content-length') ?? 0)
