import {
  answerOf,
  Button,
  type Column,
  Copyable,
  DataTable,
  Facts,
  Failure,
  Filters,
  fitsPath,
  List,
  Loaded,
  Page,
  perPage,
  State,
  Time,
  TimeOr,
  useChange,
  useFilters,
  wordsOf,
} from '@connectivity/ui'
import { Anchor, Code, Group, Stack, Text, Title } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, type Schemas } from '../api/client.ts'
import { useMayChange } from '../session/session.ts'
import { type ConnectionPageProps, reservationPath } from './connection-page.ts'
import { readEvents, type ShownEvent } from './envelope.ts'

type DeliveryState = ShownEvent['delivery']['state']

const PAGE = 25
/** Interval at which one page is read again, ms. */
const REFRESH = 5_000

const filters = [
  { name: 'state', options: ['pending', 'delivered', 'failed', 'held', 'superseded', 'not_configured'] },
] as const

const columnsOf = (connectionId: string): readonly Column<ShownEvent>[] => [
  { header: 'Event', cell: ({ type }) => type.replace('reservation.', '') },
  {
    header: 'Reservation',
    cell: ({ reservation_id: id }) =>
      fitsPath(id) ? (
        <Anchor component={Link} size="sm" href={reservationPath(connectionId, id)}>
          {id}
        </Anchor>
      ) : (
        id
      ),
  },
  { header: 'Occurred', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  { header: 'Delivery', cell: ({ delivery }) => <State code={delivery.state} /> },
  { header: 'Attempts', cell: ({ delivery }) => delivery.attempts, isNumber: true },
  {
    header: 'Acknowledgement',
    cell: ({ acknowledgement }) => (acknowledgement ? <State code={acknowledgement.outcome} /> : 'none'),
  },
]

/** The events of a connection, the newest first. */
export function Events({ connection: { property_id: id } }: ConnectionPageProps) {
  const { state } = useFilters(['state'])
  const events = useInfiniteQuery({
    queryKey: ['events', id, state ?? null],
    queryFn: async ({ pageParam }) => {
      const query = {
        ...{ property_id: id, order: 'desc' as const, limit: PAGE },
        ...(state !== undefined && { state: state as DeliveryState }),
        ...(pageParam !== null && { cursor: pageParam }),
      }
      const params = { query }
      return readEvents(await answerOf(api.GET('/reservations/events', { params, parseAs: 'text' })))
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => pagination.next_cursor,
    refetchInterval: perPage(REFRESH),
  })
  return (
    <Page title="Events" about="What changed in your reservations in the last 30 days, the newest first.">
      <Filters filters={filters} error={events.error} />
      <List
        query={events}
        empty={state ? 'No event is in this state.' : 'There are no events yet.'}
        label="Events"
        columns={columnsOf(id)}
        rowsOf={({ pages }) => pages.flatMap((page) => page.events)}
        keyOf={({ event_id }) => event_id}
        details={(event) => <Details event={event} connectionId={id} />}
      />
    </Page>
  )
}

interface EventProps {
  event: ShownEvent
  connectionId: string
}

function Details({ event, connectionId }: EventProps) {
  const { delivery, acknowledgement } = event
  return (
    <Stack>
      <Facts
        facts={[
          ['Event id', <Copyable key="id" text={event.event_id} />],
          ['Sequence', event.sequence],
          ['Last status', delivery.last_status ?? 'none'],
          ['Last error', delivery.last_error === null ? 'none' : wordsOf(delivery.last_error)],
          ['Next attempt', <TimeOr key="next" at={delivery.next_attempt_at} none="none planned" />],
          ['Acknowledged', <TimeOr key="ack" at={acknowledgement?.at} none="not yet" />],
        ]}
      />
      <Attempts event={event} connectionId={connectionId} />
      <Title order={2}>Envelope</Title>
      <Code block tabIndex={0} aria-label="Envelope">
        {event.envelope}
      </Code>
      <Replay eventId={event.event_id} connectionId={connectionId} />
    </Stack>
  )
}

type Attempt = Schemas['DeliveryAttempt']

const attemptColumns: readonly Column<Attempt>[] = [
  { header: 'Number', cell: ({ number }) => number, isNumber: true },
  { header: 'At', cell: ({ at }) => <Time at={at} /> },
  { header: 'Result', cell: ({ status, error }) => status ?? wordsOf(error ?? 'no answer') },
  { header: 'Duration', cell: ({ duration_ms }) => `${duration_ms} ms`, isNumber: true },
  { header: 'URL', cell: ({ url }) => url },
  { header: 'Answer', cell: ({ response_excerpt }) => response_excerpt ?? '–' },
]

function Attempts({ event: { event_id: eventId, delivery }, connectionId }: EventProps) {
  const attempts = useQuery({
    // A further attempt is another query; the previous list is shown until its answer has arrived.
    queryKey: ['attempts', connectionId, eventId, delivery.attempts],
    placeholderData: keepPreviousData,
    queryFn: () =>
      answerOf(
        api.GET('/reservations/events/{event_id}/attempts', {
          params: { path: { event_id: eventId }, query: { property_id: connectionId } },
        }),
      ),
  })
  return (
    <>
      <Title order={2}>Attempts</Title>
      <Loaded query={attempts}>
        {({ attempts: all }) =>
          all.length === 0 ? (
            <Text size="sm">Nothing was sent yet.</Text>
          ) : (
            <DataTable label="Attempts" columns={attemptColumns} rows={all} keyOf={({ number }) => String(number)} />
          )
        }
      </Loaded>
    </>
  )
}

function Replay({ eventId, connectionId }: { eventId: string; connectionId: string }) {
  const client = useQueryClient()
  const mayChange = useMayChange()
  const replay = useChange(
    (keyOf) => {
      const body = { property_id: connectionId, event_ids: [eventId] }
      return answerOf(api.POST('/reservations/events/replay', { params: { header: keyOf(body) }, body }))
    },
    () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['events', connectionId] }),
        client.invalidateQueries({ queryKey: ['attempts', connectionId, eventId] }),
      ]),
  )
  if (!mayChange) return null
  return (
    <Group>
      <Button variant="default" isBusy={replay.isPending} onClick={() => replay.send()}>
        Replay
      </Button>
      <Text size="sm" role="status">
        {replay.data ? (replay.data.events === 1 ? 'It is being sent again.' : 'Nothing was sent again.') : ''}
      </Text>
      {replay.error && <Failure error={replay.error} title="The event was not sent again" />}
    </Group>
  )
}
