import { Copyable, Facts, idOf, Loaded, Menu, NotFound, Page, Panel, State, TimeOr } from '@connectivity/ui'
import { Anchor, Stack, Text } from '@mantine/core'
import type { ComponentType } from 'react'
import { Link, Route, Switch } from 'wouter'
import { isServing, mappedOf, nameOf, useProperties } from '../api/properties.ts'
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
  const properties = useProperties()
  return (
    <Loaded query={properties} title="Connection">
      {(all) => {
        const property = all.find(({ property_id }) => property_id === id)
        if (property) return <Known property={property} />
        return <NotFound what="Connection">Perhaps it is not assigned to you.</NotFound>
      }}
    </Loaded>
  )
}

function Known({ property }: ConnectionPageProps) {
  const base = `/connections/${property.property_id}`
  const items = [
    { label: nameOf(property), href: base },
    ...PAGES.map(({ title, path }) => ({ label: title, href: `${base}/${path}` })),
  ]
  return (
    <Stack gap="lg">
      <Menu label="Connection" items={items} />
      <Switch>
        <Route path={base}>
          <Overview property={property} />
        </Route>
        {PAGES.map(({ title, path, component: Content }) => (
          <Route path={`${base}/${path}`} key={path}>
            {isServing(property) ? <Content property={property} /> : <NotServing title={title} property={property} />}
          </Route>
        ))}
        <Route path={`${base}/reservations/:reservation`}>
          {({ reservation }) => <ReservationPage property={property} id={idOf(reservation)} />}
        </Route>
        <Route component={NoSuchPage} />
      </Switch>
    </Stack>
  )
}

const ReservationPage = ({ property, id }: ConnectionPageProps & { id: string }) =>
  isServing(property) ? (
    <Reservation property={property} id={id} />
  ) : (
    <NotServing title={`Reservation ${id}`} property={property} />
  )

function Overview({ property }: ConnectionPageProps) {
  const { feed, property_id: id } = property
  return (
    <Page title={nameOf(property)} about={property.external_property_id}>
      {!isServing(property) && <Notice property={property} />}
      <Panel>
        <Facts
          facts={[
            ['State', <State key="state" code={property.state} />],
            ['Environment', property.environment],
            ['Property id', <Copyable key="id" text={id} />],
            ['External property id', property.external_property_id],
            ['Mapped', mappedOf(property)],
            ['Waiting reservations', feed.waiting?.toLocaleString('en') ?? '–'],
            ['Last change', <TimeOr key="change" at={feed.last_change_at} none="never" />],
            ['Last poll', <TimeOr key="poll" at={feed.last_polled_at} none="never" />],
            ['Last proof', <TimeOr key="proof" at={feed.last_proven_at} none="never" />],
            ['Time zone', property.timezone],
            ['Currency', property.currency],
            ['Created', <TimeOr key="created" at={property.created_at} none="–" />],
          ]}
        />
      </Panel>
      {isServing(property) && <FindReservation connectionId={id} />}
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
const NotServing = ({ title, property }: ConnectionPageProps & { title: string }) => (
  <Page title={title}>
    <Notice property={property} />
  </Page>
)

const Notice = ({ property: { state, disabled_reason } }: ConnectionPageProps) => (
  <Panel>
    <Text>
      This connection is <State code={state} />, so nothing can be read or changed here.
      {disabled_reason && ` Operations say: ${disabled_reason}`}
    </Text>
  </Panel>
)
