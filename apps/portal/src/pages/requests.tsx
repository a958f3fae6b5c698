import {
  answerOf,
  type Column,
  Copyable,
  type Fact,
  Facts,
  type Filter,
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
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { api, type Schemas } from '../api/client.ts'
import type { paths } from '../api/description.ts'
import { nameOf, useProperties } from '../api/properties.ts'

type LoggedRequest = Schemas['LoggedRequest']
type LoggedFault = LoggedRequest['details'][number]

const PAGE = 50

const requestFilters = [
  'property_id',
  'status',
  'code',
  'method',
  'path',
  'correlation_id',
  'auth_method',
  'since',
  'until',
] as const

const methods = ['GET', 'POST', 'PUT', 'DELETE']
const statuses = ['2xx', '3xx', '4xx', '5xx', '304', '400', '401', '403', '404', '409', '422', '429']

function useFilterFields(): readonly Filter[] {
  const { data = [] } = useProperties()
  const labels = Object.fromEntries(data.map((property) => [property.property_id, nameOf(property)]))
  return [
    { name: 'property_id', options: Object.keys(labels), labels },
    { name: 'status', options: statuses },
    { name: 'code' },
    { name: 'method', options: methods },
    { name: 'path' },
    { name: 'correlation_id' },
    { name: 'auth_method', options: ['signature', 'bearer', 'portal'] },
    { name: 'since' },
    { name: 'until' },
  ]
}

const toneOf = (status: number): Tone => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good')

const columns: readonly Column<LoggedRequest>[] = [
  { header: 'At', cell: ({ at }) => <Time at={at} /> },
  { header: 'Request', cell: ({ method, path }) => `${method} ${path}` },
  { header: 'Status', cell: ({ status }) => <State code={String(status)} tone={toneOf(status)} /> },
  { header: 'Code', cell: ({ code }) => (code === null ? '–' : wordsOf(code)) },
  { header: 'Duration', cell: ({ duration_ms }) => `${duration_ms.toFixed(1)} ms`, isNumber: true },
  { header: 'Repeated', cell: ({ repeated }) => repeated, isNumber: true },
]

type Asked = NonNullable<paths['/requests']['get']['parameters']['query']>

/** Whether the portal has sent the request; a sign-in has no session yet. */
const isOwn = ({ auth_method, path }: LoggedRequest): boolean =>
  auth_method === 'portal' || path.endsWith('/portal/session')

function useRequests() {
  const given = useFilters(requestFilters)
  const log = useInfiniteQuery({
    queryKey: ['requests', given],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET('/requests', {
          params: { query: { ...(given as Asked), limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => pagination.next_cursor,
  })
  // The portal's own requests are hidden unless a filter names an authentication method or a correlation id.
  const hidesOwn = given.auth_method === undefined && given.correlation_id === undefined
  const all = log.data?.pages.flatMap(({ requests }) => requests)
  return { log, shown: hidesOwn ? all?.filter((request) => !isOwn(request)) : all }
}

/** The log of the application's requests, the newest first. */
export function Requests() {
  const fields = useFilterFields()
  const { log, shown } = useRequests()
  const { error, errorUpdateCount, refetch, isFetching } = log
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = log
  // Pages with nothing but the portal's own requests are skipped.
  const isLooking = shown?.length === 0 && hasNextPage
  const isBare = isLooking && !isFetching && !isFetchNextPageError
  useEffect(() => {
    if (isBare) void fetchNextPage()
  }, [isBare, fetchNextPage])
  return (
    <Page
      title="Requests"
      about="What your software asked and what it was answered, for 14 days. Requests of this portal are left out."
    >
      <Filters filters={fields} />
      <List
        query={{
          ...{ data: isLooking ? undefined : shown, error, errorUpdateCount, isFetching },
          refetch: isLooking ? fetchNextPage : refetch,
          ...{ hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage },
        }}
        label="Requests"
        columns={columns}
        rowsOf={(rows) => rows}
        keyOf={({ correlation_id, at }) => `${at} ${correlation_id}`}
        details={(request) => <Details request={request} />}
        empty="No request fits these filters."
      />
    </Page>
  )
}

const queryText = (query: LoggedRequest['query']): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${value ?? '…'}`)
    .join('&')

const idOr = (id: string | null): ReactNode => (id === null ? 'none' : <Copyable text={id} />)

/** Facts about the caller's authentication. */
const callerFacts = ({
  credential_id,
  authenticated,
  auth_method,
  clock_skew_seconds: skew,
}: LoggedRequest): Fact[] => [
  ['Credential', idOr(credential_id)],
  ['Authenticated', authenticated ? `by ${auth_method ?? 'a credential'}` : 'no'],
  ['Clock skew', skew === null ? 'unknown' : `${skew} s`],
]

const answerFacts = ({ rate_limit, idempotency, page, request_bytes, response_bytes }: LoggedRequest): Fact[] => [
  ['Rate limit', rate_limit ? `${rate_limit.class}, ${rate_limit.remaining} left` : 'not counted'],
  ['Idempotency', idempotency ?? 'none'],
  ['Page', page ? <PageServed key="page" page={page} /> : 'none'],
  ['Sent', `${request_bytes.toLocaleString('en')} bytes`],
  ['Answered', `${response_bytes.toLocaleString('en')} bytes`],
]

const Details = ({ request }: { request: LoggedRequest }) => (
  <Stack>
    {request.details && request.details.length > 0 && <Faults faults={request.details} />}
    <Facts
      facts={[
        ['Correlation id', <Copyable key="id" text={request.correlation_id} />],
        ['Query', queryText(request.query) || 'none'],
        ['Property id', idOr(request.property_id)],
        ...callerFacts(request),
        ...answerFacts(request),
      ]}
    />
  </Stack>
)

const PageServed = ({ page: { from, to, rows } }: { page: NonNullable<LoggedRequest['page']> }) => (
  <>
    {rows} rows, <Time at={from} /> to <Time at={to} />
  </>
)

/** Faults of the request, with the signature doctor's finding where there is one. */
const Faults = ({ faults }: { faults: readonly LoggedFault[] }) => (
  <Stack gap="xs">
    {faults.map(({ pointer, code, message, hint }) => (
      <div key={`${pointer} ${code} ${message}`}>
        <Text size="sm" fw={600}>
          {wordsOf(code)}
          {pointer !== '' && ` at ${pointer}`}
        </Text>
        <Text size="sm">{message}</Text>
        {hint !== undefined && <Text size="sm">Hint: {wordsOf(hint)}</Text>}
      </div>
    ))}
  </Stack>
)
