import type { EventsReplay } from '@connectivity/contracts/event-index'
import { replayChoice } from '@connectivity/contracts/mutation-rules'
import type { ReplaySelection } from '../backlog/backlog-change.store.js'

/** Form of our ids; other ids are unknown without a query. */
const EVENT_ID = /^[A-Za-z0-9_]+$/

/** @throws ServiceError 400 unless the body has either ids or both ends of a range */
export function replaySelection(replay: EventsReplay): ReplaySelection {
  const choice = replayChoice(replay)
  return 'eventIds' in choice ? { eventIds: choice.eventIds.filter((id) => EVENT_ID.test(id)) } : choice
}
