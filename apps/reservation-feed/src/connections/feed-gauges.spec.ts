import type { Logger } from '@connectivity/service-kit/logging'
import { eventually } from '@connectivity/testing/eventually'
import type { RiskRoundStore } from '../delivery-status/risk-round.store.js'
import type { FeedFactsStore } from './feed-facts.store.js'
import { FeedGauges } from './feed-gauges.service.js'

describe('the gauges of the feeds', () => {
  it('log why they could not be read', async () => {
    const err = new Error('the database is down')
    const fail = () => Promise.reject(err)
    const facts = { oldestHeads: fail, states: fail } as unknown as FeedFactsStore
    const logged: unknown[] = []
    const log = { warn: (fields: object) => logged.push(fields) } as unknown as Logger
    const gauges = new FeedGauges(facts, { count: fail } as unknown as RiskRoundStore, log)
    gauges.onApplicationBootstrap()
    await eventually(async () => expect(logged).toEqual([{ err }]))
    await gauges.onModuleDestroy()
  })
})
