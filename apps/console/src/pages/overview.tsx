import { answerOf, type Column, Filters, List, Page, State, TimeOr, useFilters } from '@connectivity/ui'
import { Anchor, Group } from '@mantine/core'
import { Link } from 'wouter'
import { api, type Schemas } from '../api/client.ts'
import { usePages } from './pages-query.ts'

type Row = Schemas['OverviewRecord']

const states = ['provisioning', 'pilot', 'certification_pending', 'production', 'disabled', 'closed'] as const
const filters = [{ name: 'state', options: states }, { name: 'application_id' }, { name: 'failing', options: ['true'] }]

const number = (value: number | null): string => value?.toLocaleString('en') ?? '–'

const columns: readonly Column<Row>[] = [
  {
    header: 'Connection',
    cell: ({ property_id }) => (
      <Anchor component={Link} href={`/connections/${property_id}`} size="sm" fw={600}>
        {property_id}
      </Anchor>
    ),
  },
  { header: 'Property', cell: ({ property_name, external_property_id }) => property_name ?? external_property_id },
  {
    header: 'Application',
    cell: ({ application_id, application_name }) => (
      <Anchor component={Link} href={`/applications/${application_id}`} size="sm">
        {application_name}
      </Anchor>
    ),
  },
  { header: 'State', cell: ({ state }) => <State code={state} /> },
  {
    header: 'Needs',
    cell: ({ needs }) =>
      needs.length === 0 ? (
        '–'
      ) : (
        <Group gap={4}>
          {needs.map((need) => (
            <State key={need} code={need} tone={need === 'silent' ? 'warn' : 'bad'} />
          ))}
        </Group>
      ),
  },
  { header: 'At risk', cell: ({ feed }) => number(feed.at_risk), isNumber: true },
  { header: 'Unresolved', cell: ({ feed }) => number(feed.unresolved), isNumber: true },
  { header: 'Waiting', cell: ({ feed }) => number(feed.waiting), isNumber: true },
  { header: 'Last poll', cell: ({ feed }) => <TimeOr at={feed.last_polled_at} none="never" isRelative /> },
  { header: 'Callback', cell: ({ callback }) => <CallbackState callback={callback} /> },
  { header: 'Failed', cell: ({ callback }) => number(callback.failed), isNumber: true },
  { header: 'Dead letters', cell: ({ dead_letters }) => number(dead_letters), isNumber: true },
]

/** State of a callback; unknown while event dispatch does not answer, and then its counts are too. */
function CallbackState({ callback: { state, failed } }: Pick<Row, 'callback'>) {
  if (state) return <State code={state} />
  return failed === null ? '–' : 'none'
}

/** All connections; those that need attention come first. */
export function Overview() {
  const { state, application_id, failing } = useFilters(['state', 'application_id', 'failing'])
  const query = {
    ...(state !== undefined && { state: state as (typeof states)[number] }),
    ...(application_id !== undefined && { application_id }),
    ...(failing !== undefined && { failing: failing as 'true' }),
  }
  const overview = usePages(['overview', query], (page) =>
    answerOf(api.GET('/overview', { params: { query: { ...query, ...page } } })),
  )
  return (
    <Page
      title="Overview"
      about="What needs attention first: at-risk and unresolved reservations, failing callbacks, dead letters, partners silent for half an hour in pilot or production."
    >
      <Filters filters={filters} error={overview.error} />
      <List
        query={overview}
        empty="No connection fits; there may be none yet."
        label="Connections"
        columns={columns}
        rowsOf={({ pages }) => pages.flatMap(({ connections }) => connections)}
        keyOf={(row) => row.property_id}
      />
    </Page>
  )
}
