import { Inject, Injectable } from '@nestjs/common'
import {
  CONNECTION_FACTS_PATH,
  type ConnectionFacts,
  type ConnectionFactsAnswer,
} from '@connectivity/contracts/operators-api'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { LRUCache } from 'lru-cache'
import type { Admitted } from '../../admission/admitted.js'
import { gatewayCaller, type ServiceCaller } from '../../forwarding/exchange/service-caller.js'
import { ServiceQuestions } from '../../forwarding/exchange/service-questions.client.js'

/** Figures of a feed that GET /properties shows. */
export type FeedFacts = Pick<ConnectionFacts, 'waiting' | 'last_proven_at'>

/** Longest wait for the feed, ms; the list is answered without its figures then. */
const TIMEOUT = 1_000
/** Most connections of one request to the feed. */
const AT_ONCE = 100
/** Time for which figures are reused, ms: counting the waiting changes costs more than the list itself. */
const KEPT_FOR = 2_000
const MOST_KEPT = 10_000

/** Asks the reservation feed for the figures that GET /properties shows. */
@Injectable()
export class FeedFactsClient {
  private readonly kept = new LRUCache<string, FeedFacts>({ max: MOST_KEPT, ttl: KEPT_FOR })

  constructor(
    private readonly questions: ServiceQuestions,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * @param admitted the partner's request
   * @returns facts by connection id; empty ones when the feed does not know the connection or answers too late
   */
  async of(connectionIds: readonly string[], admitted: Admitted): Promise<Map<string, FeedFacts>> {
    // Read once: an entry may expire while others are loaded.
    const known = new Map(connectionIds.map((id) => [id, this.kept.get(id)]))
    const unknown = connectionIds.filter((id) => known.get(id) === undefined)
    const parts = Array.from({ length: Math.ceil(unknown.length / AT_ONCE) }, (_, index) =>
      unknown.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
    )
    const caller = gatewayCaller(admitted)
    await Promise.all(parts.map((ids) => this.load(ids, caller)))
    return new Map(connectionIds.map((id) => [id, known.get(id) ?? this.kept.get(id) ?? {}]))
  }

  private async load(ids: readonly string[], caller: ServiceCaller): Promise<void> {
    const path = `${CONNECTION_FACTS_PATH}?connection_ids=${ids.join(',')}`
    try {
      const answer = await this.questions.read(caller, 'reservation-feed', { path, timeout: TIMEOUT })
      for (const facts of (answer as ConnectionFactsAnswer).facts ?? []) this.kept.set(facts.connection_id, facts)
    } catch (err) {
      this.log.warn({ err }, 'feed facts unavailable for GET /properties')
    }
  }
}
