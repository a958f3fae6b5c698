import { Controller, Get, Query } from '@nestjs/common'
import { CONNECTION_FACTS_PATH, type ConnectionFactsAnswer } from '@connectivity/contracts/operators-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { FeedFactsStore } from './feed-facts.store.js'

/** GET /ops/v1/connection-facts: figures of the feeds for the gateway's overview. */
@Controller(CONNECTION_FACTS_PATH)
export class FeedFactsController {
  constructor(private readonly facts: FeedFactsStore) {}

  /** @param ids separated by commas; unknown ones are left out */
  @Get()
  async read(@Query('connection_ids') ids = ''): Promise<ConnectionFactsAnswer & { schema_version: string }> {
    const lags = await this.facts.lags(ids.split(','))
    const facts = [...lags].map(([connection_id, lag_ms]) => ({ connection_id, lag_ms }))
    return { schema_version: SCHEMA_VERSION, facts }
  }
}
