import { Controller, Get, Query } from '@nestjs/common'
import {
  CONNECTION_FACTS_PATH,
  type ConnectionFacts,
  type ConnectionFactsAnswer,
} from '@connectivity/contracts/operators-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { formatTimestamp } from '@connectivity/contracts/time'
import { type FeedFacts, FeedFactsStore } from './feed-facts.store.js'

/** GET /ops/v1/connection-facts: figures of the feeds for the gateway's overview. */
@Controller(CONNECTION_FACTS_PATH)
export class FeedFactsController {
  constructor(private readonly facts: FeedFactsStore) {}

  /** @param ids separated by commas; unknown ones are left out; absent: those that need attention */
  @Get()
  async read(@Query('connection_ids') ids?: string): Promise<ConnectionFactsAnswer & { schema_version: string }> {
    const facts = await this.facts.of(ids === undefined ? await this.facts.needing() : ids.split(','))
    return { schema_version: SCHEMA_VERSION, facts: facts.map(shown) }
  }
}

const shown = ({
  connectionId,
  lag,
  processedTo,
  waiting,
  atRisk,
  unresolved,
  provenAt,
}: FeedFacts): ConnectionFacts => ({
  connection_id: connectionId,
  lag_ms: lag,
  processed_to: processedTo === null ? null : formatTimestamp(processedTo),
  waiting,
  at_risk: atRisk,
  unresolved,
  last_proven_at: provenAt?.toISOString() ?? null,
})
