import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable } from '@nestjs/common'
import {
  APPLIED_CATALOG_PATH,
  type AppliedCatalog,
  CATALOG_VERSION_HEADER,
} from '@connectivity/contracts/applied-catalog'
import type { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import type { INTERNAL_PATH } from '@connectivity/contracts/timeline'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { LRUCache } from 'lru-cache'
import type { ServiceCaller } from './service-caller.js'
import { ServiceQuestions } from './service-questions.client.js'

/** Longest wait for ARI, ms; the answer is given without it then. */
const WITHIN = 3_000
/** Time for which the connection's answers do not wait again after that, ms. */
const GIVEN_UP_FOR = 30_000
/** Time between two questions, ms: doubles from the first to the longest. */
const FIRST_PAUSE = 5
const LONGEST_PAUSE = 100
/** Time for which calls of ARI name the version that the connection has seen, ms. */
const NAMED_FOR = 600_000
const MOST_KNOWN = 20_000

/** The reader of a catalog. */
export interface CatalogReader {
  caller: ServiceCaller
  connectionId: string
  /** Prefix of the questions asked for the caller. */
  base: typeof INTERNAL_PATH | typeof OPERATORS_PATH
}

/**
 * Holds back answers that show a catalog until ARI judges calls by it, so that a client may use at once what it has
 * read or changed: the new id of a room, or the ids of two rooms that it has swapped. When ARI takes too long, as while
 * Kafka is away, the answer is given, and ARI refuses the connection's writes until it knows that catalog.
 */
@Injectable()
export class AppliedCatalogs {
  /** Version of each connection's catalog that no answer waits for. */
  private readonly known = new LRUCache<string, number>({ max: MOST_KNOWN })

  /** Latest version that each connection has seen here. */
  private readonly seen = new LRUCache<string, number>({ max: MOST_KNOWN, ttl: NAMED_FOR })

  constructor(
    private readonly questions: ServiceQuestions,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * @param headers headers of the answer as its service sent them
   * @param response the answer to the client, which may leave meanwhile
   * @returns null when the answer need not wait, else a promise that resolves when it may be given, and never rejects
   */
  until(headers: IncomingHttpHeaders, response: ServerResponse, readerOf: () => CatalogReader): Promise<void> | null {
    const shown = headers[CATALOG_VERSION_HEADER]
    if (shown === undefined) return null
    const reader = readerOf()
    const version = Number(shown)
    if (version > this.leastFor(reader.connectionId)) this.seen.set(reader.connectionId, version)
    return (this.known.get(reader.connectionId) ?? 0) >= version ? null : this.wait(version, reader, response)
  }

  /** Version by which ARI must judge the connection's calls at least; 0 when any will do. */
  leastFor(connectionId: string): number {
    return this.seen.get(connectionId) ?? 0
  }

  private async wait(
    version: number,
    { caller, connectionId, base }: CatalogReader,
    response: ServerResponse,
  ): Promise<void> {
    const path = `${base}${APPLIED_CATALOG_PATH}?property_id=${connectionId}`
    const end = performance.now() + WITHIN
    const applied = async () => {
      const timeout = end - performance.now()
      return ((await this.questions.read(caller, 'ari', { path, timeout })) as AppliedCatalog).catalog_version
    }
    try {
      for (let pause = FIRST_PAUSE; (await applied()) < version; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
        if (performance.now() + pause > end) throw new Error(`ARI has not applied version ${version} yet`)
        await delay(pause)
        if (response.destroyed) return
      }
      this.known.set(connectionId, version)
    } catch (err) {
      this.known.set(connectionId, version, { ttl: GIVEN_UP_FOR })
      this.log.warn({ err, connection_id: connectionId }, 'a catalog was shown before ARI applies it')
    }
  }
}
