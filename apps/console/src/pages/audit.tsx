import { answerOf, type Column, Copyable, Facts, Filters, List, Page, Time, useFilters } from '@connectivity/ui'
import { Code, Stack, Text } from '@mantine/core'
import { api, type Schemas } from '../api/client.ts'
import { usePages } from './pages-query.ts'

type Entry = Schemas['AuditRecord']

const names = ['subject', 'actor', 'from', 'to'] as const

const columns: readonly Column<Entry>[] = [
  { header: 'At', cell: ({ at }) => <Time at={at} /> },
  { header: 'Actor', cell: ({ actor }) => actor },
  { header: 'Action', cell: ({ action }) => action },
  { header: 'Subject', cell: ({ subject }) => <Copyable text={subject} /> },
  { header: 'Reason', cell: ({ reason }) => reason ?? 'none' },
]

/** Operators' changes with their actors and reasons. */
export function Audit() {
  const query = useFilters(names)
  const audit = usePages(['audit', query], (page) =>
    answerOf(api.GET('/audit', { params: { query: { ...query, ...page } } })),
  )
  return (
    <Page title="Audit" about="Who changed what and why, the newest first.">
      <Filters filters={names.map((name) => ({ name }))} error={audit.error} />
      <List
        query={audit}
        empty="No change fits these filters."
        label="Audit"
        noun="changes"
        columns={columns}
        rowsOf={({ pages }) => pages.flatMap(({ entries }) => entries)}
        keyOf={({ id }) => id}
        details={(entry) => <Details entry={entry} />}
      />
    </Page>
  )
}

const Details = ({ entry: { before, after, correlation_id } }: { entry: Entry }) => (
  <Stack>
    <Facts facts={[['Correlation id', <Copyable key="id" text={correlation_id} />]]} />
    {[['Before', before] as const, ['After', after] as const].map(([title, value]) => (
      <div key={title}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Code block tabIndex={0} aria-label={title}>
          {value === null ? 'nothing' : JSON.stringify(value, null, 2)}
        </Code>
      </div>
    ))}
  </Stack>
)
