import {
  answerOf,
  Copyable,
  Empty,
  fitsPath,
  isNotFound,
  Loaded,
  NotFound,
  Page,
  Panel,
  Time,
  wordsOf,
} from '@connectivity/ui'
import { Anchor, Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, type Schemas } from '../api/client.ts'
import type { ConnectionPageProps } from './connection-page.ts'

type TimelineEntry = Schemas['TimelineEntry']

/** Most entries of an answer; older ones are left out without a sign. */
const MOST = 1_000

/** Description of an entry in words. */
const WORDS: Readonly<Record<TimelineEntry['kind'], string>> = {
  stamped: 'Entered the feed or changed',
  problem: 'Cannot be shown; see the errors of the feed',
  mended: 'Can be shown again',
  redelivered: 'Delivered again by operations',
  served: 'Served to you',
  event: 'Event recorded',
  attempt: 'Callback attempted',
  acknowledged: 'Acknowledged by you',
}

/** The history of one reservation: when it changed, and by which request it was delivered. */
export function Reservation({ connection, id }: ConnectionPageProps & { id: string }) {
  const timeline = useQuery({
    queryKey: ['timeline', connection.property_id, id],
    enabled: fitsPath(id),
    queryFn: () =>
      answerOf(
        api.GET('/reservations/{reservation_id}/timeline', {
          params: { path: { reservation_id: id }, query: { property_id: connection.property_id } },
        }),
      ),
  })
  if (!fitsPath(id) || isNotFound(timeline.error))
    return <NotFound what="Reservation">Perhaps it belongs to another property.</NotFound>
  return (
    <Page title={`Reservation ${id}`} about="What changed, when it was served and delivered. Oldest first.">
      <Loaded query={timeline}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty>Nothing is known of this reservation any more.</Empty>
          ) : (
            <Panel>
              {entries.length >= MOST && (
                <Text size="sm" mb="sm">
                  Only the newest {MOST.toLocaleString('en')} entries are shown; older ones are not.
                </Text>
              )}
              <Timeline bulletSize={14} lineWidth={2} role="list" aria-label="Timeline">
                {entries.map((entry, index) => (
                  <Entry key={`${entry.at} ${entry.kind} ${index}`} entry={entry} />
                ))}
              </Timeline>
            </Panel>
          )
        }
      </Loaded>
    </Page>
  )
}

const Entry = ({
  entry: { at, kind, changes, status, updated_at, correlation_id, event_id },
}: {
  entry: TimelineEntry
}) => (
  <Timeline.Item role="listitem" title={status === null ? WORDS[kind] : `${WORDS[kind]}: status ${status}`}>
    <Text size="sm" c="dimmed">
      <Time at={at} />
    </Text>
    {changes && changes.length > 0 && <Text size="sm">Changed: {changes.map(wordsOf).join(', ')}</Text>}
    {updated_at && updated_at !== at && (
      <Text size="sm">
        Stamp <Time at={updated_at} />
      </Text>
    )}
    {correlation_id && (
      <Text size="sm" component="div">
        <Anchor component={Link} size="sm" href={`/requests?correlation_id=${encodeURIComponent(correlation_id)}`}>
          Request
        </Anchor>{' '}
        <Copyable text={correlation_id} />
      </Text>
    )}
    {event_id && (
      <Text size="sm" component="div">
        Event <Copyable text={event_id} />
      </Text>
    )}
  </Timeline.Item>
)
