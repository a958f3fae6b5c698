import {
  answerOf,
  type Column,
  Copyable,
  Facts,
  Filters,
  List,
  Page,
  State,
  Time,
  type Tone,
  useFilters,
  wordsOf,
} from '@connectivity/ui'
import { Stack, Text } from '@mantine/core'
import { api, type Schemas } from '../api/client.ts'
import { usePages } from './pages-query.ts'

type Logged = Schemas['LoggedRequestRecord']

const methods = ['signature', 'bearer', 'portal'] as const
const names = [
  ...['application_id', 'property_id', 'status', 'code', 'method', 'path', 'correlation_id', 'since', 'until'],
  'auth_method',
] as const
const filters = names.map((name) => (name === 'auth_method' ? { name, options: methods } : { name }))

const toneOf = (status: number): Tone => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good')

const columns: readonly Column<Logged>[] = [
  { header: 'At', cell: ({ at }) => <Time at={at} /> },
  { header: 'Request', cell: ({ method, path }) => `${method} ${path}` },
  { header: 'Status', cell: ({ status }) => <State code={String(status)} tone={toneOf(status)} /> },
  { header: 'Code', cell: ({ code }) => (code === null ? '–' : wordsOf(code)) },
  { header: 'Credential', cell: ({ credential_id }) => credential_id ?? 'none' },
  { header: 'Duration', cell: ({ duration_ms }) => `${Math.round(duration_ms)} ms`, isNumber: true },
  { header: 'Repeated', cell: ({ repeated }) => repeated, isNumber: true },
]

/** Partners' requests and their answers. */
export function Requests() {
  const { auth_method, ...given } = useFilters(names)
  const query = {
    ...given,
    ...(auth_method !== undefined && { auth_method: auth_method as (typeof methods)[number] }),
  }
  const requests = usePages(['requests', query], (page) =>
    answerOf(api.GET('/requests', { params: { query: { ...query, ...page } } })),
  )
  return (
    <Page title="Requests" about="What partners asked and what they were answered.">
      <Filters filters={filters} error={requests.error} />
      <List
        query={requests}
        empty="No request fits these filters."
        label="Requests"
        columns={columns}
        rowsOf={({ pages }) => pages.flatMap((page) => page.requests)}
        keyOf={({ at, correlation_id }) => `${at} ${correlation_id}`}
        details={(request) => <Details request={request} />}
      />
    </Page>
  )
}

const Details = ({ request }: { request: Logged }) => (
  <Stack>
    {request.details.map(({ pointer, code, message }) => (
      <Text size="sm" key={`${pointer} ${code}`}>
        {wordsOf(code)}
        {pointer !== '' && ` at ${pointer}`}: {message}
      </Text>
    ))}
    <Facts
      facts={[
        ['Correlation id', <Copyable key="id" text={request.correlation_id} />],
        ['Property id', request.property_id === null ? 'none' : <Copyable key="property" text={request.property_id} />],
        ['Authenticated', request.authenticated ? `by ${request.auth_method ?? 'a credential'}` : 'no'],
        [
          'Query',
          new URLSearchParams(Object.entries(request.query).map(([key, value]) => [key, value ?? '…'])).toString(),
        ],
      ]}
    />
  </Stack>
)
