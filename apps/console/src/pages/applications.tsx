import { answerOf, type Column, Copyable, List, Page, State, Time } from '@connectivity/ui'
import { Anchor, TextInput } from '@mantine/core'
import { useState } from 'react'
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

const NO_APPLICATION = { name: '', contactName: '', contactEmail: '' }

function NewApplication() {
  const [, navigate] = useLocation()
  const [fields, setFields] = useState(NO_APPLICATION)
  const set = (field: keyof typeof fields) => (event: { target: { value: string } }) =>
    setFields({ ...fields, [field]: event.target.value })
  return (
    <Action
      name="New application"
      run={(withReason) =>
        answerOf(
          api.POST(
            '/applications',
            withReason({ name: fields.name, contact: { name: fields.contactName, email: fields.contactEmail } }),
          ),
        )
      }
      onOpen={() => setFields(NO_APPLICATION)}
      onDone={({ application_id }) => navigate(`/applications/${application_id}`)}
    >
      <TextInput label="Name" required maxLength={200} value={fields.name} onChange={set('name')} />
      <TextInput
        label="Contact name"
        required
        maxLength={200}
        value={fields.contactName}
        onChange={set('contactName')}
      />
      <TextInput
        label="Contact e-mail"
        type="email"
        required
        value={fields.contactEmail}
        onChange={set('contactEmail')}
      />
    </Action>
  )
}
