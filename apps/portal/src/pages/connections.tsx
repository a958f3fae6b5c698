import { type Column, Copyable, Empty, Filters, List, Loaded, Page, State, TimeOr, useFilters } from '@connectivity/ui'
import { Anchor } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { type Connection, mappedOf, nameOf, useConnections } from '../api/connections.ts'

/** Rows shown at once. */
const PAGE = 50

const filters = [
  { name: 'name' },
  { name: 'state', options: ['provisioning', 'pilot', 'certification_pending', 'production', 'disabled', 'closed'] },
  { name: 'environment', options: ['sandbox', 'production'] },
] as const

const columns: readonly Column<Connection>[] = [
  {
    header: 'Property',
    cell: (connection) => (
      <Anchor component={Link} href={`/connections/${connection.property_id}`} size="sm" fw={600}>
        {nameOf(connection)}
      </Anchor>
    ),
  },
  { header: 'Property id', cell: ({ property_id }) => <Copyable text={property_id} /> },
  { header: 'External property id', cell: ({ external_property_id }) => external_property_id },
  { header: 'State', cell: ({ state }) => <State code={state} /> },
  { header: 'Environment', cell: ({ environment }) => environment },
  { header: 'Mapped', cell: mappedOf },
  { header: 'Waiting', cell: ({ feed }) => feed.waiting?.toLocaleString('en') ?? '–', isNumber: true },
  { header: 'Last poll', cell: ({ feed }) => <TimeOr at={feed.last_polled_at} none="never" isRelative /> },
  { header: 'Last proof', cell: ({ feed }) => <TimeOr at={feed.last_proven_at} none="never" isRelative /> },
]

/** Every connection of the application at a glance. */
export function Connections() {
  const connections = useConnections()
  return (
    <Page title="Connections" about="The properties that are assigned to you, and how far each one is.">
      <Loaded query={connections}>{(all) => (all.length === 0 ? <NoConnections /> : <Filtered all={all} />)}</Loaded>
    </Page>
  )
}

const NoConnections = () => (
  <Empty>There are no connections yet. Operations assign properties to your application.</Empty>
)

function Filtered({ all }: { all: readonly Connection[] }) {
  const { name = '', state, environment } = useFilters(['name', 'state', 'environment'])
  const [shown, setShown] = useState(PAGE)
  const text = name.toLowerCase()
  const found = all.filter(
    (each) =>
      [nameOf(each), each.external_property_id, each.property_id].some((one) => one.toLowerCase().includes(text)) &&
      (state ?? each.state) === each.state &&
      (environment ?? each.environment) === each.environment,
  )
  const query = {
    // Rows in memory never fail.
    ...{ data: found, error: null, errorUpdateCount: 0, isFetching: false, refetch: () => undefined },
    hasNextPage: found.length > shown,
    isFetchingNextPage: false,
    fetchNextPage: () => setShown(shown + PAGE),
  }
  return (
    <>
      <Filters filters={filters} />
      <List
        query={query}
        label="Connections"
        columns={columns}
        rowsOf={(rows) => rows.slice(0, shown)}
        keyOf={(row) => row.property_id}
        empty="No connection fits these filters."
      />
    </>
  )
}
