import { Copyable, Facts, idOf, Loaded, Menu, NotFound, Page, Panel, State, TimeOr } from '@connectivity/ui'
import { Anchor, Stack, Text } from '@mantine/core'
import type { ComponentType } from 'react'
import { Link, Route, Switch } from 'wouter'
import { isServing, mappedOf, nameOf, useConnections } from '../api/connections.ts'
import { NoSuchPage } from '../pages/no-such-page.tsx'
import { Availability } from './availability.tsx'
import { Callback } from './callback.tsx'
import type { ConnectionPageProps } from './connection-page.ts'
import { Events } from './events.tsx'
import { FindReservation } from './find-reservation.tsx'
import { Mappings } from './mappings.tsx'
import { Pilot } from './pilot.tsx'
import { Reservation } from './reservation.tsx'

const PAGES: readonly { title: string; path: string; about: string; component: ComponentType<ConnectionPageProps> }[] =
  [
    { title: 'Mappings', path: 'mappings', about: 'Your ids of rooms and rate plans.', component: Mappings },
    {
      title: 'Availability and rates',
      path: 'availability',
      about: 'What you have written, day by day.',
      component: Availability,
    },
    { title: 'Callback', path: 'callback', about: 'Where events are sent, and how it goes.', component: Callback },
    { title: 'Events', path: 'events', about: 'Every event, its attempts and acknowledgement.', component: Events },
    { title: 'Pilot', path: 'pilot', about: 'What is left before production.', component: Pilot },
  ]

/** The pages about one connection. */
export function Connection({ id }: { id: string }) {
  const connections = useConnections()
  return (
    <Loaded query={connections} title="Connection">
      {(all) => {
        const connection = all.find(({ property_id }) => property_id === id)
        if (connection) return <Known connection={connection} />
        return <NotFound what="Connection">Perhaps it is not assigned to you.</NotFound>
      }}
    </Loaded>
  )
}

function Known({ connection }: ConnectionPageProps) {
  const base = `/connections/${connection.property_id}`
  const items = [
    { label: nameOf(connection), href: base },
    ...PAGES.map(({ title, path }) => ({ label: title, href: `${base}/${path}` })),
  ]
  return (
    <Stack gap="lg">
      <Menu label="Connection" items={items} />
      <Switch>
        <Route path={base}>
          <Overview connection={connection} />
        </Route>
        {PAGES.map(({ title, path, component: Content }) => (
          <Route path={`${base}/${path}`} key={path}>
            {isServing(connection) ? (
              <Content connection={connection} />
            ) : (
              <NotServing title={title} connection={connection} />
            )}
          </Route>
        ))}
        <Route path={`${base}/reservations/:reservation`}>
          {({ reservation }) => <ReservationPage connection={connection} id={idOf(reservation)} />}
        </Route>
        <Route component={NoSuchPage} />
      </Switch>
    </Stack>
  )
}

const ReservationPage = ({ connection, id }: ConnectionPageProps & { id: string }) =>
  isServing(connection) ? (
    <Reservation connection={connection} id={id} />
  ) : (
    <NotServing title={`Reservation ${id}`} connection={connection} />
  )

function Overview({ connection }: ConnectionPageProps) {
  const { feed, property_id: id } = connection
  return (
    <Page title={nameOf(connection)} about={connection.external_property_id}>
      {!isServing(connection) && <Notice connection={connection} />}
      <Panel>
        <Facts
          facts={[
            ['State', <State key="state" code={connection.state} />],
            ['Environment', connection.environment],
            ['Property id', <Copyable key="id" text={id} />],
            ['External property id', connection.external_property_id],
            ['Mapped', mappedOf(connection)],
            ['Waiting reservations', feed.waiting?.toLocaleString('en') ?? '–'],
            ['Last change', <TimeOr key="change" at={feed.last_change_at} none="never" />],
            ['Last poll', <TimeOr key="poll" at={feed.last_polled_at} none="never" />],
            ['Last proof', <TimeOr key="proof" at={feed.last_proven_at} none="never" />],
            ['Time zone', connection.timezone],
            ['Currency', connection.currency],
            ['Created', <TimeOr key="created" at={connection.created_at} none="–" />],
          ]}
        />
      </Panel>
      {isServing(connection) && <FindReservation connectionId={id} />}
      <Panel title="Pages">
        <Stack gap="xs">
          {PAGES.map(({ title, path, about }) => (
            <div key={path}>
              <Anchor component={Link} href={`/connections/${id}/${path}`} fw={600}>
                {title}
              </Anchor>
              <Text size="sm" c="dimmed">
                {about}
              </Text>
            </div>
          ))}
        </Stack>
      </Panel>
    </Page>
  )
}

/** Sends no calls about a connection that does not answer any. */
const NotServing = ({ title, connection }: ConnectionPageProps & { title: string }) => (
  <Page title={title}>
    <Notice connection={connection} />
  </Page>
)

const Notice = ({ connection: { state, disabled_reason } }: ConnectionPageProps) => (
  <Panel>
    <Text>
      This connection is <State code={state} />, so nothing can be read or changed here.
      {disabled_reason && ` Operations say: ${disabled_reason}`}
    </Text>
  </Panel>
)
