import type { ConnectionFacts } from '@connectivity/contracts/operators-api'
import { formatTimestamp, timestampOf } from '@connectivity/contracts/time'
import type { FeedFacts } from './feed-facts.store.js'

/** Facts of a feed, for the gateway's answers about it. */
export const presentFacts = ({
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
  last_proven_at: timestampOf(provenAt),
})
