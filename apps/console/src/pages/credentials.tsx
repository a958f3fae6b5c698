import {
  answerOf,
  Choice,
  type Column,
  Copyable,
  Facts,
  List,
  Panel,
  SecretDialog,
  Time,
  TimeOr,
} from '@connectivity/ui'
import { Checkbox, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Action, type WithReason } from './action.tsx'
import { api, at, type Schemas } from '../api/client.ts'
import { usePages } from './pages-query.ts'
import { wholeNumberOf } from './texts.ts'
import { WholeNumberInput } from './whole-number-input.tsx'

type Credential = Schemas['CredentialRecord']
type Revealed = Schemas['RevealedCredential']

const nameOf = ({ key_id, client_id, credential_id }: Credential): string => key_id ?? client_id ?? credential_id

const columnsOf = (onSecret: (revealed: Revealed) => void): readonly Column<Credential>[] => [
  { header: 'Credential', cell: (credential) => <Copyable text={nameOf(credential)} /> },
  { header: 'Type', cell: ({ type }) => type },
  { header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  { header: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  { header: 'Last used', cell: ({ last_used_at }) => <TimeOr at={last_used_at} none="never" isRelative /> },
  { header: 'Old secret ends', cell: ({ rotation }) => <TimeOr at={rotation?.old_secret_ends_at} none="none" /> },
  {
    header: 'Ended',
    cell: (credential) =>
      credential.revoked_at === null ? (
        <Group gap="xs">
          <Rotate credential={credential} onSecret={onSecret} />
          <Revoke credential={credential} />
        </Group>
      ) : (
        <Time at={credential.revoked_at} />
      ),
  },
]

/** Keys and clients of a connection. */
export function Credentials({ id }: { id: string }) {
  const [revealed, setRevealed] = useState<Revealed | null>(null)
  const credentials = usePages(['credentials', id], (query) =>
    answerOf(api.GET('/connections/{id}/credentials', { params: { path: { id }, query } })),
  )
  return (
    <Panel title="Credentials" actions={<Issue id={id} onSecret={setRevealed} />}>
      <List
        query={credentials}
        empty="No credential was issued yet."
        label="Credentials"
        columns={columnsOf(setRevealed)}
        rowsOf={({ pages }) => pages.flatMap((page) => page.credentials)}
        keyOf={(row) => row.credential_id}
      />
      <SecretDialog
        title="New secret"
        about="Send the id and the secret to the partner over a private channel."
        secret={revealed && ['Secret', revealed.client_secret ?? revealed.signing_secret ?? '']}
        onClose={() => setRevealed(null)}
      >
        {revealed && <Facts facts={[[revealed.type === 'oauth' ? 'Client id' : 'Key id', nameOf(revealed)]]} />}
      </SecretDialog>
    </Panel>
  )
}

const types = ['signing', 'oauth'] as const
const NEW = { type: types[0] as (typeof types)[number], scopes: '', expires_at: '', own_connection_only: true }

/** The fields of a new credential; empty ones are left to the service. */
const wantedOf = ({ scopes, expires_at, ...others }: typeof NEW) => ({
  ...others,
  // The service names the scopes that it does not know.
  ...(scopes.trim() !== '' && { scopes: scopes.trim().split(/[\s,]+/) as Credential['scopes'] }),
  ...(expires_at.trim() !== '' && { expires_at: expires_at.trim() }),
})

function Issue({ id, onSecret }: { id: string; onSecret: (revealed: Revealed) => void }) {
  const issue = (withReason: WithReason, fields: typeof NEW) =>
    answerOf(api.POST('/connections/{id}/credentials', { ...at(id), ...withReason(wantedOf(fields)) }))
  return (
    <Action name="Issue credential" run={issue} initial={NEW} onDone={onSecret}>
      {({ fields, set, text }) => (
        <>
          <Choice label="Type" options={types} value={fields.type} onChoose={(type) => set({ type })} />
          <TextInput
            label="Scopes"
            description="Separated by spaces; empty for all."
            placeholder="reservations:read"
            {...text('scopes')}
          />
          <TextInput
            label="Expires at"
            description="With zone; empty for never."
            placeholder="2027-11-20T00:00:00Z"
            {...text('expires_at')}
          />
          <Checkbox
            label="Own connection only"
            checked={fields.own_connection_only}
            onChange={(event) => set({ own_connection_only: event.target.checked })}
          />
        </>
      )}
    </Action>
  )
}

const WEEK = { overlap: '604800' }

function Rotate({ credential, onSecret }: { credential: Credential; onSecret: (revealed: Revealed) => void }) {
  const rotate = (withReason: WithReason, { overlap }: typeof WEEK) =>
    answerOf(
      api.POST('/credentials/{id}/rotate', {
        ...at(credential.credential_id),
        ...withReason({ overlap_seconds: wholeNumberOf(overlap) }),
      }),
    )
  return (
    <Action name="Rotate" confirm={`Rotate ${nameOf(credential)}`} run={rotate} initial={WEEK} onDone={onSecret}>
      {({ text }) => (
        <WholeNumberInput
          label="Overlap seconds"
          description="How long the old secret stays valid; 0 after a leak."
          {...text('overlap')}
        />
      )}
    </Action>
  )
}

function Revoke({ credential }: { credential: Credential }) {
  const revoke = (withReason: WithReason) =>
    answerOf(api.POST('/credentials/{id}/revoke', { ...at(credential.credential_id), ...withReason() }))
  return <Action name="Revoke" confirm={`Revoke ${nameOf(credential)}`} run={revoke} isDestructive />
}
