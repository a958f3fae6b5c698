import {
  ActionDialog,
  answerOf,
  Button,
  type Column,
  Copyable,
  DataTable,
  Loaded,
  Page,
  Panel,
  State,
  TimeOr,
  titleOf,
  useChange,
} from '@connectivity/ui'
import { Text, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Schemas } from '../api/client.ts'
import { useDraft } from '../session/draft.ts'
import { useMayChange, useSession } from '../session/session.ts'
import type { ConnectionPageProps } from './connection-page.ts'

type Item = Schemas['ChecklistItem']
type Request = Schemas['ProductionRequestAnswer']

/** Interval at which the checklist is graded again, ms. */
const REFRESH = 5_000

const columns: readonly Column<Item>[] = [
  { header: 'Item', cell: ({ item, code }) => `${item}. ${titleOf(code)}` },
  { header: 'State', cell: ({ state }) => <State code={state} /> },
  { header: 'Observed', cell: ({ observed_at }) => <TimeOr at={observed_at} none="not yet" /> },
  { header: 'Next step', cell: ({ next_step }) => next_step ?? '–' },
  {
    header: 'Evidence',
    cell: ({ evidence_correlation_id: id }) => (id === null ? 'none' : <Copyable text={id} />),
  },
]
/** Columns of a connection in production, where operations do what some steps ask for. */
const columnsWithoutSteps = columns.filter(({ header }) => header !== 'Next step')

/** The checklist of a pilot, graded from the partner's own requests, and the request to go live. */
export function Pilot({ connection: { property_id: id, state } }: ConnectionPageProps) {
  const mayChange = useMayChange()
  const isLive = state === 'production'
  const request = useQuery({
    queryKey: ['production', id],
    queryFn: () => answerOf(api.GET('/production/request', { params: { query: { property_id: id } } })),
    refetchInterval: REFRESH,
  })
  return (
    <Page
      title="Pilot"
      about="Each item is graded from the requests of your software; looking at this portal counts for nothing."
      actions={mayChange && !isLive && request.data && <RequestProduction id={id} isOff={isAsked(request.data)} />}
    >
      {isLive && <Text>This connection is in production.</Text>}
      <Loaded query={request}>
        {(found) => (
          <>
            {found.state !== 'not_requested' && <Decision request={found} />}
            <DataTable
              label="Checklist"
              columns={isLive ? columnsWithoutSteps : columns}
              rows={found.checklist}
              keyOf={({ code }) => code}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const Decision = ({ request: { state, submitted_at, decided_at, decision_reason } }: { request: Request }) => (
  <Panel>
    <Text>
      Production request: <State code={state} />, submitted <TimeOr at={submitted_at} none="never" />
      {decided_at && (
        <>
          , decided <TimeOr at={decided_at} none="never" />
        </>
      )}
      {decision_reason && `: ${decision_reason}`}
    </Text>
  </Panel>
)

const MAX_NAME = 200
const MAX_NOTES = 2_000

/** Texts of the request; the e-mail address is the person's until another one is typed. */
const NOTHING = { name: '', email: null as string | null, go_live_on: '', notes: '' }

/** Whether a production request waits or was approved. */
const isAsked = ({ state }: Request): boolean => state === 'submitted' || state === 'approved'

function RequestProduction({ id, isOff }: { id: string; isOff: boolean }) {
  const client = useQueryClient()
  const person = useSession().data?.email ?? ''
  const [isOpen, setOpen] = useState(false)
  const [fields, setFields] = useDraft(`production ${id}`, NOTHING)
  const email = fields.email ?? person
  const set = (field: keyof typeof fields) => (event: { target: { value: string } }) =>
    setFields({ ...fields, [field]: event.target.value })
  const submission = useChange(
    (keyOf) => {
      const body = {
        property_id: id,
        contact: { name: fields.name.trim(), email: email.trim() },
        ...(fields.go_live_on !== '' && { go_live_on: fields.go_live_on }),
        ...(fields.notes.trim() !== '' && { notes: fields.notes.trim() }),
      }
      return answerOf(api.POST('/production/request', { params: { header: keyOf(body) }, body }))
    },
    async () => {
      setOpen(false)
      setFields(NOTHING)
      await client.invalidateQueries({ queryKey: ['production', id] })
      void client.invalidateQueries({ queryKey: ['connections'] })
    },
  )
  const open = () => {
    submission.clear()
    setOpen(true)
  }
  return (
    <>
      <Button isOff={isOff} onClick={open}>
        Request production
      </Button>
      <ActionDialog
        action="Request production"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        isBusy={submission.isPending}
        error={submission.error}
        onConfirm={() => submission.send()}
      >
        <TextInput label="Contact name" required maxLength={MAX_NAME} value={fields.name} onChange={set('name')} />
        <TextInput label="Contact e-mail" type="email" required value={email} onChange={set('email')} />
        <TextInput label="Go live on" type="date" value={fields.go_live_on} onChange={set('go_live_on')} />
        <Textarea
          label="Notes"
          autosize
          minRows={2}
          maxLength={MAX_NOTES}
          value={fields.notes}
          onChange={set('notes')}
        />
      </ActionDialog>
    </>
  )
}
