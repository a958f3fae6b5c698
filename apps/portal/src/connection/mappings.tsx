import { answerOf, Button, Empty, Failure, Loaded, Page, Panel, RequestError, useChange } from '@connectivity/ui'
import { Group, SimpleGrid, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Schemas } from '../api/client.ts'
import type { Property } from '../api/properties.ts'
import { useMayChange } from '../session/session.ts'
import type { ConnectionPageProps } from './connection-page.ts'
import { type Entity, keyOf, readEntities } from './entities.ts'

/** Typed ids by entity; absent where none was typed. */
type Drafts = Readonly<Record<string, string>>

interface Mapped {
  entities: Entity[]
  /** External ids by entity. */
  known: ReadonlyMap<string, string>
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

type Write = Schemas['MappingsWrite']['mappings']

/** Typed ids that differ from the stored ones; an empty field unmaps the entity. */
const changesOf = ({ entities, known }: Mapped, drafts: Drafts): Write =>
  entities.flatMap((entity) => {
    const typed = drafts[keyOf(entity)]?.trim()
    if (typed === undefined || typed === (known.get(keyOf(entity)) ?? '')) return []
    return [{ entity_type: entity.type, service_id: entity.id, external_id: typed === '' ? null : typed }]
  })

function useSaving({ property_id: id }: Property, version: number, onSaved: () => void) {
  const client = useQueryClient()
  return useChange(
    (keyOf, mappings: Write) => {
      const body = { mappings, expected_version: version }
      return answerOf(api.POST('/properties/{id}/mappings', { params: { path: { id }, header: keyOf(body) }, body }))
    },
    async () => {
      await client.invalidateQueries({ queryKey: ['mappings', id] })
      void client.invalidateQueries({ queryKey: ['properties'] })
      onSaved()
    },
  )
}

function Form({ mapped, property, onLoad }: { mapped: Mapped; property: Property; onLoad: () => void }) {
  const [drafts, setDrafts] = useState<Drafts>({})
  const mayChange = useMayChange()
  const saving = useSaving(property, mapped.version, () => setDrafts({}))
  const isLocked = property.environment === 'production'
  const changes = changesOf(mapped, drafts)
  const group = (type: Entity['type'], title: string) => (
    <EntityFields
      title={title}
      entities={mapped.entities.filter((entity) => entity.type === type)}
      known={mapped.known}
      drafts={drafts}
      isReadOnly={isLocked || !mayChange}
      onType={(entity, text) => setDrafts({ ...drafts, [keyOf(entity)]: text })}
    />
  )
  return (
    <>
      {isLocked && (
        <Text>This connection is in production: operations maintain its mappings, they are read only here.</Text>
      )}
      {group('room', 'Rooms')}
      {group('rate_plan', 'Rate plans')}
      {saving.error && <SavingFailed error={saving.error} onLoad={onLoad} />}
      {mayChange && !isLocked && (
        <Group>
          <Button isOff={changes.length === 0} isBusy={saving.isPending} onClick={() => saving.send(changes)}>
            Save mappings
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {changes.length > 0 ? `${changes.length} changed` : saving.isSuccess ? 'Saved' : ''}
          </Text>
        </Group>
      )}
    </>
  )
}

/** Loads the version that another person has saved in the meantime, and keeps the typed ids. */
function SavingFailed({ error, onLoad }: { error: Error; onLoad: () => void }) {
  const isOutdated = error instanceof RequestError && error.code === 'version_conflict'
  return (
    <>
      <Failure error={error} title="The mappings were not saved" />
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

interface GroupProps {
  title: string
  entities: readonly Entity[]
  known: ReadonlyMap<string, string>
  drafts: Drafts
  isReadOnly: boolean
  onType: (entity: Entity, text: string) => void
}

const LONGEST_ID = 128

function EntityFields({ title, entities, known, drafts, isReadOnly, onType }: GroupProps) {
  const isMapped = (entity: Entity) => known.has(keyOf(entity))
  const ordered = [...entities].sort((one, other) => Number(isMapped(one)) - Number(isMapped(other)))
  if (ordered.length === 0) return null
  return (
    <Panel title={title}>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {ordered.map((entity) => (
          <TextInput
            key={keyOf(entity)}
            label={entity.label}
            description={isMapped(entity) ? undefined : 'not mapped'}
            maxLength={LONGEST_ID}
            readOnly={isReadOnly}
            value={drafts[keyOf(entity)] ?? known.get(keyOf(entity)) ?? ''}
            onChange={(event) => onType(entity, event.target.value)}
          />
        ))}
      </SimpleGrid>
    </Panel>
  )
}
