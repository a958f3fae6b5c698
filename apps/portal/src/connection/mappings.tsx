import {
  answerOf,
  Button,
  Empty,
  Failure,
  Loaded,
  Page,
  RequestError,
  type RequestFault,
  useChange,
} from '@connectivity/ui'
import { Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import type { Property } from '../api/properties.ts'
import { useMayChange } from '../session/session.ts'
import { readEntities } from './catalog.ts'
import type { ConnectionPageProps } from './connection-page.ts'
import { type Entity, keyOf } from './entities.ts'
import { type ByEntity, EntityFields } from './entity-fields.tsx'
import { mappingFaults, type Write } from './mapping-faults.ts'

interface Mapped {
  entities: Entity[]
  /** External ids by entity. */
  known: ByEntity
  version: number
}

async function readMappings({ property_id: id }: Property): Promise<Mapped> {
  const path = { params: { path: { id } } }
  const [entities, list] = await Promise.all([readEntities(id), answerOf(api.GET('/properties/{id}/mappings', path))])
  const known = new Map(
    list.mappings.map((one) => [keyOf({ type: one.entity_type, id: one.service_id }), one.external_id]),
  )
  return { entities, known, version: list.mapping_version }
}

/** Rooms and rate plans with a field each for the partner's id. */
export function Mappings({ property }: ConnectionPageProps) {
  const queryKey = ['mappings', property.property_id]
  const mapped = useQuery({ queryKey, queryFn: () => readMappings(property) })
  return (
    <Page title="Mappings" about="What you call rooms and rate plans. Reservations show your ids once they are mapped.">
      <Loaded query={mapped}>
        {(found) =>
          found.entities.length === 0 ? (
            <Empty>There are no rooms or rate plans yet; they appear when the property’s catalog has arrived.</Empty>
          ) : (
            <Form mapped={found} property={property} onLoad={() => void mapped.refetch()} />
          )
        }
      </Loaded>
    </Page>
  )
}

/** Typed ids that differ from the stored ones; an empty field unmaps the entity. */
const changesOf = ({ entities, known }: Mapped, drafts: ByEntity): Write =>
  entities.flatMap((entity) => {
    const typed = drafts.get(keyOf(entity))?.trim()
    if (typed === undefined || typed === (known.get(keyOf(entity)) ?? '')) return []
    return [{ entity_type: entity.type, service_id: entity.id, external_id: typed === '' ? null : typed }]
  })

/** The typed ids without those that were saved; others may have been typed meanwhile. */
const unsaved = (drafts: ByEntity, saved: Write): ByEntity => {
  const ids = new Map(
    saved.map(({ entity_type: type, service_id: id, external_id }) => [keyOf({ type, id }), external_id]),
  )
  return new Map([...drafts].filter(([key, typed]) => !ids.has(key) || typed.trim() !== (ids.get(key) ?? '')))
}

function useSaving({ property_id: id }: Property, version: number, onSaved: (saved: Write) => void) {
  const client = useQueryClient()
  return useChange(
    (keyOf, mappings: Write) => {
      const body = { mappings, expected_version: version }
      return answerOf(api.POST('/properties/{id}/mappings', { params: { path: { id }, header: keyOf(body) }, body }))
    },
    async (_, saved) => {
      await client.invalidateQueries({ queryKey: ['mappings', id] })
      void client.invalidateQueries({ queryKey: ['properties'] })
      onSaved(saved)
    },
  )
}

function Form({ mapped, property, onLoad }: { mapped: Mapped; property: Property; onLoad: () => void }) {
  const [drafts, setDrafts] = useState<ByEntity>(new Map())
  const mayChange = useMayChange()
  const saving = useSaving(property, mapped.version, (saved) => setDrafts((now) => unsaved(now, saved)))
  const isLocked = property.environment === 'production'
  const changes = changesOf(mapped, drafts)
  const { atFields, others } = mappingFaults(saving.error, saving.given ?? [], changes)
  const group = (type: Entity['type'], title: string) => (
    <EntityFields
      title={title}
      entities={mapped.entities.filter((entity) => entity.type === type)}
      known={mapped.known}
      drafts={drafts}
      faults={atFields}
      isReadOnly={isLocked || !mayChange}
      onType={(entity, text) => setDrafts(new Map(drafts).set(keyOf(entity), text))}
    />
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (changes.length > 0) saving.send(changes)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        {isLocked && (
          <Text>This connection is in production: operations maintain its mappings, they are read only here.</Text>
        )}
        {group('room', 'Rooms')}
        {group('rate_plan', 'Rate plans')}
        {saving.error && changes.length > 0 && <SavingFailed error={saving.error} faults={others} onLoad={onLoad} />}
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
