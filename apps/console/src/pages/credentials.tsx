import { answerOf, type Column, Copyable, Facts, List, Panel, SecretDialog, Time, TimeOr } from '@connectivity/ui'
import { Checkbox, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { Action, type WithReason } from './action.tsx'
import { api, at, type Schemas } from '../api/client.ts'
import { usePages } from './pages-query.ts'
import { wholeNumberOf } from './whole-number.ts'
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
const NEW = { type: 'signing', isOwnOnly: true }

function Issue({ id, onSecret }: { id: string; onSecret: (revealed: Revealed) => void }) {
  const [{ type: chosen, isOwnOnly }, setFields] = useState(NEW)
  const type = types.find((each) => each === chosen) ?? 'signing'
  const issue = (withReason: WithReason) =>
    answerOf(
      api.POST('/connections/{id}/credentials', { ...at(id), ...withReason({ type, own_connection_only: isOwnOnly }) }),
    )
  return (
    <Action name="Issue credential" run={issue} onOpen={() => setFields(NEW)} onDone={onSecret}>
      <NativeSelect
        label="Type"
        data={[...types]}
        value={type}
        onChange={(event) => setFields({ type: event.target.value, isOwnOnly })}
      />
      <Checkbox
        label="Own connection only"
        checked={isOwnOnly}
        onChange={(event) => setFields({ type, isOwnOnly: event.target.checked })}
      />
    </Action>
  )
}

const WEEK = '604800'

function Rotate({ credential, onSecret }: { credential: Credential; onSecret: (revealed: Revealed) => void }) {
  const [overlap, setOverlap] = useState(WEEK)
  const rotate = (withReason: WithReason) =>
    answerOf(
      api.POST('/credentials/{id}/rotate', {
        ...at(credential.credential_id),
        ...withReason({ overlap_seconds: wholeNumberOf(overlap) }),
      }),
    )
  return (
    <Action
      name="Rotate"
      confirm={`Rotate ${nameOf(credential)}`}
      run={rotate}
      onOpen={() => setOverlap(WEEK)}
      onDone={onSecret}
    >
      <WholeNumberInput
        label="Overlap seconds"
        description="How long the old secret stays valid; 0 after a leak."
        value={overlap}
        onType={setOverlap}
      />
    </Action>
  )
}

function Revoke({ credential }: { credential: Credential }) {
  const revoke = (withReason: WithReason) =>
    answerOf(api.POST('/credentials/{id}/revoke', { ...at(credential.credential_id), ...withReason() }))
  return <Action name="Revoke" confirm={`Revoke ${nameOf(credential)}`} run={revoke} isDestructive />
}
