import {
  answerOf,
  type Column,
  Copyable,
  DataTable,
  Facts,
  Filters,
  List,
  Page,
  State,
  Time,
  TimeOr,
  titleOf,
  useFilters,
} from '@connectivity/ui'
import { Anchor, Group, Stack } from '@mantine/core'
import { Link } from 'wouter'
import { Action, type WithReason } from './action.tsx'
import { api, type Schemas } from '../api/client.ts'
import { usePages } from './pages-query.ts'

type Request = Schemas['ProductionRequestRecord']
type Item = Schemas['ChecklistItem']

const PUBLIC = 'The partner will see it, and the audit records it with your name.'
const states = ['submitted', 'approved', 'rejected'] as const
const passed = ({ checklist = [] }: Request): string =>
  `${checklist.filter(({ state }) => state === 'passed').length}/${checklist.length}`

const columns: readonly Column<Request>[] = [
  { header: 'Submitted', cell: ({ submitted_at }) => <Time at={submitted_at} /> },
  {
    header: 'Connection',
    cell: ({ property_id }) => (
      <Anchor component={Link} href={`/connections/${property_id}`} size="sm">
        {property_id}
      </Anchor>
    ),
  },
  { header: 'State', cell: ({ state }) => <State code={state} /> },
  { header: 'Passed', cell: passed },
  { header: 'Go live on', cell: ({ go_live_on }) => go_live_on ?? 'not said' },
  { header: 'Contact', cell: ({ contact }) => `${contact.name}, ${contact.email}` },
  { header: 'Decided', cell: ({ decided_at }) => <TimeOr at={decided_at} none="not yet" /> },
]

const itemColumns: readonly Column<Item>[] = [
  { header: 'Item', cell: ({ item, code }) => `${item}. ${titleOf(code)}` },
  { header: 'State', cell: ({ state }) => <State code={state} /> },
  { header: 'Observed', cell: ({ observed_at }) => <TimeOr at={observed_at} none="not yet" /> },
  { header: 'Next step', cell: ({ next_step }) => next_step ?? '–' },
  { header: 'Evidence', cell: ({ evidence_correlation_id: id }) => (id === null ? 'none' : <Copyable text={id} />) },
]

/** Partners who wish to leave the pilot. */
export function ProductionRequests() {
  const { state } = useFilters(['state'])
  const query = state === undefined ? {} : { state: state as (typeof states)[number] }
  const requests = usePages(['production-requests', query], (page) =>
    answerOf(api.GET('/production-requests', { params: { query: { ...query, ...page } } })),
  )
  return (
    <Page title="Production requests" about="Partners who wish to leave the pilot, the newest first.">
      <Filters filters={[{ name: 'state', options: states }]} error={requests.error} />
      <List
        query={requests}
        empty={<>No requests{state ? ' in this state' : ' yet'}.</>}
        label="Production requests"
        columns={columns}
        rowsOf={({ pages }) => pages.flatMap((page) => page.production_requests)}
        keyOf={(row) => row.request_id}
        details={(request) => <Details request={request} />}
      />
    </Page>
  )
}

const Details = ({ request }: { request: Request }) => (
  <Stack>
    <Facts
      facts={[
        ['Request id', <Copyable key="id" text={request.request_id} />],
        ['Notes', request.notes ?? 'none'],
        ['Decision', request.decision_reason ?? 'none'],
      ]}
    />
    <DataTable label="Checklist" columns={itemColumns} rows={request.checklist ?? []} keyOf={({ code }) => code} />
    {request.state === 'submitted' && <Decision id={request.request_id} />}
  </Stack>
)

function Decision({ id }: { id: string }) {
  const at = { params: { path: { id } } }
  const approve = (withReason: WithReason) =>
    answerOf(api.POST('/production-requests/{id}/approve', { ...at, ...withReason() }))
  const reject = (withReason: WithReason) =>
    answerOf(api.POST('/production-requests/{id}/reject', { ...at, ...withReason() }))
  return (
    <Group>
      <Action name="Approve" run={approve} reasonAbout={PUBLIC} />
      <Action name="Reject" run={reject} reasonAbout={PUBLIC} isDestructive />
    </Group>
  )
}
