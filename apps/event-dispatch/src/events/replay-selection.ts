import type { EventsReplay } from '@connectivity/contracts/event-index'
import { replayChoice } from '@connectivity/contracts/mutation-rules'
import { isId } from '@connectivity/service-kit/text'
import type { ReplaySelection } from '../backlog/backlog-change.store.js'

/** @throws ServiceError 400 unless the body has either ids or both ends of a range */
export function replaySelection(replay: EventsReplay): ReplaySelection {
  const choice = replayChoice(replay)
  return 'eventIds' in choice ? { eventIds: choice.eventIds.filter(isId) } : choice
}
