import { Controller, Get, Query } from '@nestjs/common'
import { CONNECTION_FACTS_PATH, type ConnectionFactsAnswer } from '@connectivity/contracts/operators-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { readConnectionIds } from '@connectivity/service-kit/operators'
import { FeedFactsStore } from './feed-facts.store.js'
import { presentFacts } from './feed-facts.view.js'

/** GET /ops/v1/connection-facts: figures of the feeds for the gateway's overview. */
@Controller(CONNECTION_FACTS_PATH)
export class FeedFactsController {
  constructor(private readonly facts: FeedFactsStore) {}

  /** @param ids separated by commas; unknown ones are left out; absent: those that need attention */
  @Get()
  async read(@Query('connection_ids') ids?: string): Promise<ConnectionFactsAnswer & { schema_version: string }> {
    const asked = ids === undefined ? await this.facts.needing() : readConnectionIds(ids)
    const facts = await this.facts.of(asked)
    return { schema_version: SCHEMA_VERSION, facts: facts.map(presentFacts) }
  }
}
