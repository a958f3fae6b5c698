import { answerOf, Choice, type Column, Facts, List, Panel, SecretDialog, Time, TimeOr } from '@connectivity/ui'
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { Action, type WithReason } from './action.tsx'
import { api, at, type Schemas } from '../api/client.ts'
import { usePages } from './pages-query.ts'

type PortalLink = Schemas['PortalLinkRecord']

const isPast = (time: string): boolean => Date.parse(time) < Date.now()

const isOver = ({ revoked_at, session, expires_at, used_at }: PortalLink): boolean =>
  revoked_at !== null ||
  (session ? session.ended_at !== null || isPast(session.expires_at) : used_at === null && isPast(expires_at))

const linkColumns: readonly Column<PortalLink>[] = [
  { header: 'E-mail', cell: ({ email }) => email },
  { header: 'Role', cell: ({ role }) => role },
  { header: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  { header: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
  { header: 'Signed in', cell: ({ session }) => <TimeOr at={session?.started_at} none="never" /> },
  { header: 'Last seen', cell: ({ session }) => <TimeOr at={session?.last_seen_at} none="never" isRelative /> },
  {
    header: 'Revoked',
    cell: (link) =>
      isOver(link) ? (
        <TimeOr at={link.revoked_at} none="ended" />
      ) : (
        <Action
          name="Revoke"
          confirm={`Revoke ${link.portal_link_id}`}
          isDestructive
          run={(withReason) =>
            answerOf(api.POST('/portal-links/{id}/revoke', { ...at(link.portal_link_id), ...withReason() }))
          }
        />
      ),
  },
]

const roles = ['viewer', 'developer'] as const
const NO_LINK = { email: '', role: 'developer' as (typeof roles)[number] }

/** People of a partner who may use the portal. */
export function PortalLinks({ application: { application_id: id } }: { application: Schemas['ApplicationRecord'] }) {
  const [issued, setIssued] = useState<Schemas['IssuedPortalLink'] | null>(null)
  const links = usePages(['portal-links', id], (query) =>
    answerOf(api.GET('/applications/{id}/portal-links', { params: { path: { id }, query } })),
  )
  const issue = (withReason: WithReason, fields: typeof NO_LINK) =>
    answerOf(api.POST('/applications/{id}/portal-links', { ...at(id), ...withReason(fields) }))
  return (
    <Panel
      title="Portal links"
      actions={
        <Action name="Portal link" run={issue} initial={NO_LINK} onDone={setIssued}>
          {({ fields, set, text }) => (
            <>
              <TextInput label="E-mail" type="email" required {...text('email')} />
              <Choice label="Role" options={roles} value={fields.role} onChoose={(role) => set({ role })} />
            </>
          )}
        </Action>
      }
    >
      <List
        query={links}
        empty="No link was issued yet."
        label="Portal links"
        columns={linkColumns}
        rowsOf={({ pages }) => pages.flatMap((page) => page.portal_links)}
        keyOf={(row) => row.portal_link_id}
      />
      <SecretDialog
        title="Portal link"
        about="Send it to the person it is for. It works once."
        secret={issued && ['Address', issued.url]}
        onClose={() => setIssued(null)}
      >
        {issued && <Facts facts={[['Expires', <Time key="expires" at={issued.expires_at} />]]} />}
      </SecretDialog>
    </Panel>
  )
}
