// The call for the overview.
import type { ConnectionState } from '@connectivity/contracts/connection-events'
import type { Call, Fields } from '../command.ts'
import { ageAt, at } from '../texts.ts'
import { choice } from './flag-kinds.ts'

const states: ConnectionState[] = ['provisioning', 'pilot', 'certification_pending', 'production', 'disabled', 'closed']

const text = (path: string) => (record: Fields) => at(record, path) as string | null | undefined
/** The largest first. */
const most = (path: string) => (record: Fields) => -Number(at(record, path) ?? 0)

/** Values that `--sort` compares. */
const sorts = {
  application: text('application_name'),
  property: text('property_name'),
  state: text('state'),
  silence: (record: Fields) => text('feed.last_polled_at')(record) ?? '',
  lag: most('feed.lag_ms'),
  failed: most('callback.failed'),
  unacknowledged: most('unacknowledged'),
  'dead-letters': most('dead_letters'),
}

export const overview: readonly Call[] = [
  {
    verb: 'list',
    does: 'Lists every connection, what needs attention first, with its state, feed, callback and waiting work; – means not known (yet).',
    method: 'GET',
    path: '/overview',
    list: 'connections',
    flags: {
      state: choice(states, 'only in this state'),
      application: { value: 'app_…', says: 'only of this application', field: '/application_id' },
      'silent-for': {
        value: 'TIME',
        kind: 'duration',
        says: 'only those in pilot or production without a poll for so long: 30m, 2h, 1d',
      },
      failing: { says: 'only those whose callback is suspended, has an open breaker or has given up deliveries' },
      sort: {
        ...choice(Object.keys(sorts), 'order, of all that there are; the worst first'),
        value: 'BY',
        isLocal: true,
      },
    },
    columns: [
      ['connection', 'property_id'],
      ['application', 'application_name', 'application_id'],
      ['property', 'property_name'],
      ['external id', 'external_property_id'],
      ['state', 'state'],
      ['needs', 'needs'],
      ['lag ms', 'feed.lag_ms'],
      ['changed', 'feed.last_change_at'],
      ['polled', 'feed.last_polled_at'],
      ['waiting', 'feed.waiting'],
      ['at risk', 'feed.at_risk'],
      ['unresolved', 'feed.unresolved'],
      ['last proof', 'feed.last_proven_at'],
      ['callback', 'callback.state'],
      ['failed', 'callback.failed'],
      ['last error', 'callback.last_error'],
      ['unacked', 'unacknowledged'],
      ['dead letters', 'dead_letters'],
    ],
    texts: { changed: ageAt('feed.last_change_at'), polled: ageAt('feed.last_polled_at') },
    sorts,
    example: '--silent-for 30m --sort silence',
  },
]
