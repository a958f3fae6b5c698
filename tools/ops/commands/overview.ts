// The call for the overview.
import type { Call } from '../command.ts'

export const overview: readonly Call[] = [
  {
    verb: 'list',
    does: 'Lists every connection with its state, feed, callback and waiting work; – means not known (yet).',
    method: 'GET',
    path: '/overview',
    list: 'connections',
    columns: [
      ['connection', 'property_id'],
      ['application', 'application_id'],
      ['state', 'state'],
      ['lag ms', 'feed.lag_ms'],
      ['last change', 'feed.last_change_at'],
      ['last polled', 'feed.last_polled_at'],
      ['waiting', 'feed.waiting'],
      ['at risk', 'feed.at_risk'],
      ['last proof', 'feed.last_proven_at'],
      ['callback', 'callback.state'],
      ['unacknowledged', 'unacknowledged'],
      ['dead letters', 'dead_letters'],
    ],
    example: '--all',
  },
]
