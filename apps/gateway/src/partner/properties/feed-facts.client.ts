import { Inject, Injectable } from '@nestjs/common'
import { CORRELATION_HEADER, IDENTITY_HEADER } from '@connectivity/contracts/identity'
import {
  CONNECTION_FACTS_PATH,
  type ConnectionFacts,
  type ConnectionFactsAnswer,
} from '@connectivity/contracts/operators-api'
import { IDENTITY_LIFETIME, signIdentity } from '@connectivity/service-kit/identity-token'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { LRUCache } from 'lru-cache'
import type { Admitted } from '../../admission/admitted.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { ServiceAnswers } from '../../forwarding/service-answers.client.js'
import { Upstreams } from '../../forwarding/upstreams.service.js'

/** Figures of a feed that GET /properties shows. */
export type FeedFacts = Pick<ConnectionFacts, 'waiting' | 'last_proven_at'>

type Asking = Pick<Admitted, 'id' | 'http' | 'credential'>

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
    private readonly upstreams: Upstreams,
    private readonly answers: ServiceAnswers,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'IDENTITY_KEYS'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * @param asking the partner's request
   * @returns facts by connection id; empty ones when the feed does not know the connection or answers too late
   */
  async of(connectionIds: readonly string[], asking: Asking): Promise<Map<string, FeedFacts>> {
    const unknown = connectionIds.filter((id) => !this.kept.has(id))
    const parts = Array.from({ length: Math.ceil(unknown.length / AT_ONCE) }, (_, index) =>
      unknown.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
    )
    await Promise.all(parts.map((ids) => this.load(ids, asking)))
    return new Map(connectionIds.map((id) => [id, this.kept.get(id) ?? {}]))
  }

  private async load(ids: readonly string[], asking: Asking): Promise<void> {
    try {
      for (const facts of await this.ask(ids, asking)) this.kept.set(facts.connection_id, facts)
    } catch (err) {
      this.log.warn({ err }, 'feed facts unavailable for GET /properties')
    }
  }

  private async ask(ids: readonly string[], { id, http, credential }: Asking): Promise<ConnectionFacts[]> {
    const path = `${CONNECTION_FACTS_PATH}?connection_ids=${ids.join(',')}`
    const claims = {
      aud: 'reservation-feed' as const,
      exp: Math.floor(Date.now() / 1000) + IDENTITY_LIFETIME,
      operator: 'gateway',
      role: 'connectivity:read' as const,
      correlation_id: id,
    }
    const key = this.config.IDENTITY_KEYS['reservation-feed']
    const asked = { service: 'reservation-feed', method: 'GET', path } as const
    const headers = {
      [IDENTITY_HEADER]: signIdentity(key, claims, { method: asked.method, target: path }),
      [CORRELATION_HEADER]: id,
    }
    const upstream = this.upstreams.of(asked.service)
    const { status, json } = await this.answers.ask(
      upstream,
      { ...asked, headers, body: null, timeout: TIMEOUT, caller: credential.applicationId },
      http.record,
    )
    if (status !== 200) throw new Error(`reservation-feed answered ${status}`)
    return (json as ConnectionFactsAnswer).facts ?? []
  }
}
