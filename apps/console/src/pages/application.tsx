import {
  answerOf,
  Choice,
  type Column,
  Copyable,
  Facts,
  isNotFound,
  List,
  Loaded,
  NotFound,
  Page,
  Panel,
  State,
  Time,
  TimeOr,
  titleOf,
} from '@connectivity/ui'
import { Anchor, TextInput } from '@mantine/core'
import { Link } from 'wouter'
import { Action, type WithReason } from './action.tsx'
import { api, at, type Schemas } from '../api/client.ts'
import { useFacts, usePages } from './pages-query.ts'
import { PortalLinks } from './portal-links.tsx'
import { wholeNumberOf } from './texts.ts'
import { WholeNumberInput } from './whole-number-input.tsx'

type ApplicationRecord = Schemas['ApplicationRecord']

/** One application: state, limits, connections and portal links. */
export function Application({ id }: { id: string }) {
  const application = useFacts(['application', id], () => answerOf(api.GET('/applications/{id}', at(id))))
  if (isNotFound(application.error)) return <NotFound what="Application">Choose one from the list.</NotFound>
  return (
    <Loaded query={application} title="Application">
      {(found) => (
        <Page title={found.name} about={`${found.contact.name}, ${found.contact.email}`} actions={<Moves of={found} />}>
          <Panel>
            <Facts
              facts={[
                ['Application id', <Copyable key="id" text={found.application_id} />],
                ['State', <State key="state" code={found.state} />],
                ['Created', <Time key="created" at={found.created_at} />],
                ['Approved', <TimeOr key="approved" at={found.approved_at} none="not yet" />],
              ]}
            />
          </Panel>
          <Limits application={found} />
          <Connections application={found} />
          <PortalLinks application={found} />
        </Page>
      )}
    </Loaded>
  )
}

function Moves({ of: { application_id: id, state } }: { of: ApplicationRecord }) {
  const approve = (withReason: WithReason) =>
    answerOf(api.POST('/applications/{id}/approve', { ...at(id), ...withReason() }))
  const suspend = (withReason: WithReason) =>
    answerOf(api.POST('/applications/{id}/suspend', { ...at(id), ...withReason() }))
  return state === 'approved' ? (
    <Action key="suspend" name="Suspend" run={suspend} isDestructive />
  ) : (
    <Action key="approve" name="Approve" run={approve} />
  )
}

type RateClass = keyof ApplicationRecord['limits']

/** Figures that were typed. */
type TypedLimits = Partial<Record<RateClass, Partial<Record<'per_minute' | 'burst', string>>>>

const numbersOf = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).map(([field, text]) => [field, wholeNumberOf(text)]))

/** The limits with typed figures; the other figure of each is the present one, as the service takes both. */
async function changedLimits(id: string, typed: TypedLimits) {
  const { limits } = await answerOf(api.GET('/applications/{id}', at(id)))
  const changed = Object.entries(typed) as [RateClass, Record<string, string>][]
  return Object.fromEntries(changed.map(([name, texts]) => [name, { ...limits[name], ...numbersOf(texts) }]))
}

function Limits({ application: { application_id: id, limits } }: { application: ApplicationRecord }) {
  const classes = Object.keys(limits) as RateClass[]
  const change = async (withReason: WithReason, typed: TypedLimits) => {
    const changed = await changedLimits(id, typed)
    return answerOf(api.PUT('/applications/{id}/limits', { ...at(id), ...withReason({ limits: changed }) }))
  }
  return (
    <Panel
      title="Limits"
      actions={
        <Action name="Change limits" run={change}>
          {({ fields: typed, set }) =>
            classes.flatMap((name) =>
              (['per_minute', 'burst'] as const).map((field) => (
                <WholeNumberInput
                  key={name + field}
                  label={`${titleOf(name)} ${field === 'burst' ? 'burst' : 'per minute'}`}
                  value={typed[name]?.[field] ?? String(limits[name][field])}
                  onChange={({ target }) => set({ [name]: { ...typed[name], [field]: target.value } })}
                />
              )),
            )
          }
        </Action>
      }
    >
      <Facts
        facts={classes.map((name) => [
          titleOf(name),
          `${limits[name].per_minute.toLocaleString('en')} a minute, ${limits[name].burst.toLocaleString('en')} at once`,
        ])}
      />
    </Panel>
  )
}

const connectionColumns: readonly Column<Schemas['ConnectionRecord']>[] = [
  {
    header: 'Connection',
    cell: ({ property_id }) => (
      <Anchor component={Link} href={`/connections/${property_id}`} size="sm" fw={600}>
        {property_id}
      </Anchor>
    ),
  },
  { header: 'Source property id', cell: ({ source_property_id }) => source_property_id },
  { header: 'External property id', cell: ({ external_property_id }) => external_property_id },
  { header: 'Environment', cell: ({ environment }) => environment },
  { header: 'State', cell: ({ state }) => <State code={state} /> },
]

function Connections({ application: { application_id } }: { application: ApplicationRecord }) {
  const connections = usePages(['connections', application_id], (page) =>
    answerOf(api.GET('/connections', { params: { query: { application_id, ...page } } })),
  )
  return (
    <Panel title="Connections" actions={<NewConnection applicationId={application_id} />}>
      <List
        query={connections}
        empty="No property is assigned yet."
        label="Connections"
        columns={connectionColumns}
        rowsOf={({ pages }) => pages.flatMap((page) => page.connections)}
        keyOf={(row) => row.property_id}
      />
    </Panel>
  )
}

const environments = ['sandbox', 'production'] as const

const NO_CONNECTION = {
  source_property_id: '',
  external_property_id: '',
  environment: environments[0] as (typeof environments)[number],
}

function NewConnection({ applicationId: application_id }: { applicationId: string }) {
  return (
    <Action
      name="New connection"
      initial={NO_CONNECTION}
      run={(withReason, fields) => answerOf(api.POST('/connections', withReason({ application_id, ...fields })))}
    >
      {({ fields, set, text }) => (
        <>
          <TextInput label="Source property id" required {...text('source_property_id')} />
          <TextInput label="External property id" required {...text('external_property_id')} />
          <Choice
            label="Environment"
            options={environments}
            value={fields.environment}
            onChoose={(environment) => set({ environment })}
          />
        </>
      )}
    </Action>
  )
}
