import { answerOf, Button, Empty, Failure, Loaded, Page, RequestError, type RequestFault } from '@connectivity/ui'
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api } from '../api/client.ts'
import type { Connection } from '../api/connections.ts'
import { useMayChange } from '../session/session.ts'
import { readEntities } from './catalog.ts'
import type { ConnectionPageProps } from './connection-page.ts'
import { type Entity, keyOf } from './entities.ts'
import { EntityFields } from './entity-fields.tsx'
import { mappingFaults } from './mapping-faults.ts'
import { type Mapped, type Reload, useTyping } from './typed-mappings.ts'

async function readMappings({ property_id: id }: Connection): Promise<Mapped> {
  const path = { params: { path: { id } } }
  const [entities, list] = await Promise.all([readEntities(id), answerOf(api.GET('/properties/{id}/mappings', path))])
  const known = new Map(
    list.mappings.map((one) => [keyOf({ type: one.entity_type, id: one.service_id }), one.external_id]),
  )
  return { entities, known, version: list.mapping_version }
}

/** Rooms and rate plans with a field each for the partner's id. */
export function Mappings({ connection }: ConnectionPageProps) {
  const queryKey = ['mappings', connection.property_id]
  const mapped = useQuery({ queryKey, queryFn: () => readMappings(connection) })
  return (
    <Page title="Mappings" about="What you call rooms and rate plans. Reservations show your ids once they are mapped.">
      <Loaded query={mapped}>
        {(found) =>
          found.entities.length === 0 ? (
            <Empty>There are no rooms or rate plans yet; they appear when the property’s catalog has arrived.</Empty>
          ) : (
            <Form mapped={found} connection={connection} reload={() => mapped.refetch()} />
          )
        }
      </Loaded>
    </Page>
  )
}

interface FormProps {
  mapped: Mapped
  connection: Connection
  /** Reads the mappings again. */
  reload: Reload
}

function Form({ mapped, connection, reload }: FormProps) {
  const { typed, changes, saving, onType, save, loadAgain } = useTyping(mapped, connection, reload)
  const mayChange = useMayChange()
  const isLocked = connection.environment === 'production'
  const { atFields, others } = mappingFaults(saving.error, saving.given?.mappings ?? [], changes)
  const group = (type: Entity['type'], title: string) => (
    <EntityFields
      title={title}
      entities={mapped.entities.filter((entity) => entity.type === type)}
      known={mapped.known}
      drafts={typed}
      faults={atFields}
      isReadOnly={isLocked || !mayChange}
      onType={onType}
    />
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (changes.length > 0) save()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        {isLocked && (
          <Text>This connection is in production: operations maintain its mappings, they are read only here.</Text>
        )}
        {group('room', 'Rooms')}
        {group('rate_plan', 'Rate plans')}
        {saving.error && changes.length > 0 && (
          <SavingFailed error={saving.error} faults={others} onLoad={() => void loadAgain()} />
        )}
        {mayChange && !isLocked && (
          <SaveRow count={changes.length} isBusy={saving.isPending} isSaved={saving.isSuccess} />
        )}
      </Stack>
    </form>
  )
}

const SaveRow = ({ count, isBusy, isSaved }: { count: number; isBusy: boolean; isSaved: boolean }) => (
  <Group>
    <Button type="submit" isOff={count === 0} isBusy={isBusy}>
      Save mappings
    </Button>
    <Text size="sm" c="dimmed" role="status">
      {count > 0 ? `${count} changed` : isSaved ? 'Saved' : ''}
    </Text>
  </Group>
)

interface SavingFailedProps {
  error: Error
  /** Faults that belong to no field. */
  faults: readonly RequestFault[]
  onLoad: () => void
}

/** Loads the version that another person has saved in the meantime, and keeps the typed ids. */
function SavingFailed({ error, faults, onLoad }: SavingFailedProps) {
  const isOutdated = error instanceof RequestError && error.code === 'version_conflict'
  return (
    <>
      <Failure error={error} title="The mappings were not saved" faults={faults} />
      {isOutdated && (
        <Group>
          <Button variant="default" onClick={onLoad}>
            Load again
          </Button>
        </Group>
      )}
    </>
  )
}
