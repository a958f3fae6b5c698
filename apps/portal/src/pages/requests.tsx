import {
  type Column,
  Copyable,
  Empty,
  type Fact,
  Facts,
  type Filter,
  Filters,
  List,
  Page,
  State,
  Time,
  TimeOr,
  type Tone,
  wordsOf,
} from '@connectivity/ui'
import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { nameOf, useConnections } from '../api/connections.ts'
import { type LoggedRequest, useRequests } from '../api/requests.ts'

type LoggedFault = LoggedRequest['details'][number]

const methods = ['GET', 'POST', 'PUT', 'DELETE']
const statuses = ['2xx', '3xx', '4xx', '5xx', '304', '400', '401', '403', '404', '409', '422', '429']

function useFilterFields(): readonly Filter[] {
  const { data = [] } = useConnections()
  const labels = Object.fromEntries(data.map((connection) => [connection.property_id, nameOf(connection)]))
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

/** The log of the application's requests, the newest first. */
export function Requests() {
  const fields = useFilterFields()
  const { log, hidesOwn } = useRequests()
  const last = log.data?.pages.at(-1)
  const isBare = log.hasNextPage && last?.requests.length === 0
  return (
    <Page
      title="Requests"
      about={`What your software asked and what it was answered.${hidesOwn ? ' Requests of this portal are left out.' : ''}`}
    >
      <Filters filters={fields} error={log.error} />
      <List
        query={log}
        label="Requests"
        columns={columns}
        rowsOf={({ pages }) => pages.flatMap(({ requests }) => requests)}
        keyOf={({ correlation_id, at }) => `${at} ${correlation_id}`}
        details={(request) => <Details request={request} />}
        empty={isBare ? 'No request of your software was found yet.' : 'No request fits these filters.'}
      />
      <div role="status">
        {isBare && (
          <Empty>
            Only requests of this portal were found back to <TimeOr at={last.lookedBackTo} none="now" />. “Load more”
            looks further back.
          </Empty>
        )}
      </div>
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
