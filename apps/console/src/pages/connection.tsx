import {
  answerOf,
  Choice,
  type Column,
  Copyable,
  Facts,
  isNotFound,
  List,
  Loaded,
  NotFound,
  Page,
  Panel,
  State,
  Time,
  TimeOr,
  wordsOf,
} from '@connectivity/ui'
import { Anchor, Text, Textarea } from '@mantine/core'
import { Link } from 'wouter'
import { Action, type WithReason } from './action.tsx'
import { api, at, type Schemas } from '../api/client.ts'
import { useFacts, usePages } from './pages-query.ts'
import { Callback } from './callback.tsx'
import { Credentials } from './credentials.tsx'
import { Feed } from './feed.tsx'

type ConnectionRecord = Schemas['ConnectionRecord']
type Target = Schemas['TransitionTarget']

/** One connection: its state, feed, credentials, callback and unresolved reservations. */
export function Connection({ id }: { id: string }) {
  const connection = useFacts(['connection', id], () => answerOf(api.GET('/connections/{id}', at(id))))
  if (isNotFound(connection.error)) return <NotFound what="Connection">Choose one from the list.</NotFound>
  return (
    <Loaded query={connection} title="Connection">
      {(found) => (
        <Page
          title={found.property_id}
          about={`${found.external_property_id}, ${found.environment}`}
          actions={<Move connection={found} />}
        >
          {found.warnings.map(({ code, message }) => (
            <Text key={code}>{message}</Text>
          ))}
          <About connection={found} />
          <Feed id={id} />
          <Callback id={id} />
          <Credentials id={id} />
          <Problems id={id} />
        </Page>
      )}
    </Loaded>
  )
}

const About = ({ connection }: { connection: ConnectionRecord }) => (
  <Panel>
    <Facts
      facts={[
        ['State', <State key="state" code={connection.state} />],
        [
          'Application',
          <Anchor key="application" component={Link} href={`/applications/${connection.application_id}`} size="sm">
            {connection.application_id}
          </Anchor>,
        ],
        ['Source property id', <Copyable key="source" text={connection.source_property_id} />],
        ['Created', <Time key="created" at={connection.created_at} />],
        ['Disabled', <TimeOr key="disabled" at={connection.disabled_at} none="no" />],
        ['Public reason', connection.public_reason ?? 'none'],
      ]}
    />
  </Panel>
)

/** Targets that a state allows. */
const targets: Readonly<Record<ConnectionRecord['state'], readonly Target[]>> = {
  provisioning: ['pilot', 'disabled', 'closed'],
  pilot: ['certification_pending', 'disabled', 'closed'],
  certification_pending: ['production', 'disabled', 'closed'],
  production: ['disabled', 'closed'],
  disabled: ['enabled', 'closed'],
  closed: [],
}

/** Its dialog keeps the chosen state while the connection changes: a retry must not move it further. */
function Move({ connection: { property_id: id, state } }: { connection: ConnectionRecord }) {
  const allowed = targets[state]
  const [first] = allowed
  if (!first) return null
  const initial = { to: first, publicReason: '' }
  const move = (withReason: WithReason, { to, publicReason }: typeof initial) =>
    answerOf(
      api.POST('/connections/{id}/transitions', {
        ...at(id),
        ...withReason({ to, ...(to === 'disabled' && publicReason !== '' && { public_reason: publicReason }) }),
      }),
    )
  return (
    <Action name="Move to…" confirm="Move" run={move} initial={initial} isDestructive={({ to }) => to === 'closed'}>
      {({ fields: { to }, set, text }) => (
        <>
          <Choice
            label="To"
            options={allowed}
            labelOf={wordsOf}
            value={to}
            onChoose={(chosen) => set({ to: chosen })}
          />
          {to === 'disabled' && (
            <Textarea
              label="Public reason"
              description="What the partner reads."
              maxLength={500}
              {...text('publicReason')}
            />
          )}
        </>
      )}
    </Action>
  )
}

const problemColumns: readonly Column<Schemas['UnresolvedReservation']>[] = [
  { header: 'Reservation', cell: ({ reservation_id }) => <Copyable text={reservation_id} /> },
  { header: 'Since', cell: ({ updated_at }) => <Time at={updated_at} /> },
  {
    header: 'Why',
    cell: ({ details }) => details.map(({ code, pointer }) => `${wordsOf(code)} at ${pointer}`).join(', '),
  },
]

function Problems({ id }: { id: string }) {
  const problems = usePages(['problems', id], (query) =>
    answerOf(api.GET('/connections/{id}/problems', { params: { path: { id }, query } })),
  )
  return (
    <Panel title="Unresolved reservations">
      <List
        query={problems}
        empty="None: every reservation can be shown."
        label="Unresolved reservations"
        columns={problemColumns}
        rowsOf={({ pages }) => pages.flatMap((page) => page.problems)}
        keyOf={(row) => row.reservation_id}
      />
    </Panel>
  )
}
