import { answerOf, type Column, Copyable, List, Page, State, Time } from '@connectivity/ui'
import { Anchor, TextInput } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { Action } from './action.tsx'
import { api, type Schemas } from '../api/client.ts'
import { usePages } from './pages-query.ts'

const columns: readonly Column<Schemas['ApplicationRecord']>[] = [
  {
    header: 'Name',
    cell: ({ application_id, name }) => (
      <Anchor component={Link} href={`/applications/${application_id}`} size="sm" fw={600}>
        {name}
      </Anchor>
    ),
  },
  { header: 'Application id', cell: ({ application_id }) => <Copyable text={application_id} /> },
  { header: 'State', cell: ({ state }) => <State code={state} /> },
  { header: 'Contact', cell: ({ contact }) => `${contact.name}, ${contact.email}` },
  { header: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
]

/** Partners' software. */
export function Applications() {
  const applications = usePages(['applications'], (query) => answerOf(api.GET('/applications', { params: { query } })))
  return (
    <Page title="Applications" about="Partners’ software, the newest first." actions={<NewApplication />}>
      <List
        query={applications}
        empty="No applications yet."
        label="Applications"
        columns={columns}
        rowsOf={({ pages }) => pages.flatMap((page) => page.applications)}
        keyOf={(row) => row.application_id}
      />
    </Page>
  )
}

function NewApplication() {
  const [, navigate] = useLocation()
  return (
    <Action
      name="New application"
      initial={{ name: '', contactName: '', contactEmail: '' }}
      run={(withReason, { name, contactName, contactEmail }) =>
        answerOf(api.POST('/applications', withReason({ name, contact: { name: contactName, email: contactEmail } })))
      }
      onDone={({ application_id }) => navigate(`/applications/${application_id}`)}
    >
      {({ text }) => (
        <>
          <TextInput label="Name" required maxLength={200} {...text('name')} />
          <TextInput label="Contact name" required maxLength={200} {...text('contactName')} />
          <TextInput label="Contact e-mail" type="email" required {...text('contactEmail')} />
        </>
      )}
    </Action>
  )
}
