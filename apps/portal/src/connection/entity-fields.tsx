import { Panel } from '@connectivity/ui'
import { SimpleGrid, TextInput } from '@mantine/core'
import { type Entity, keyOf } from './entities.ts'

/** Texts by entity; absent where there is none. */
export type ByEntity = ReadonlyMap<string, string>

interface EntityFieldsProps {
  title: string
  entities: readonly Entity[]
  /** Stored external ids. */
  known: ByEntity
  /** Typed external ids. */
  drafts: ByEntity
  /** Faults of the last save. */
  faults: ByEntity
  isReadOnly: boolean
  onType: (entity: Entity, text: string) => void
}

/** Hint with the stored id while the field holds another text; a colleague may have saved it meanwhile. */
function storedText(stored: string | undefined, typed: string | undefined): string | undefined {
  if (stored === undefined) return 'not mapped'
  return typed === undefined || typed === stored ? undefined : `now ${stored}`
}

/** A field for each external id, those of unmapped entities first. */
export function EntityFields({ title, entities, known, drafts, faults, isReadOnly, onType }: EntityFieldsProps) {
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
            description={storedText(known.get(keyOf(entity)), drafts.get(keyOf(entity)))}
            error={faults.get(keyOf(entity))}
            readOnly={isReadOnly}
            value={drafts.get(keyOf(entity)) ?? known.get(keyOf(entity)) ?? ''}
            onChange={(event) => onType(entity, event.target.value)}
          />
        ))}
      </SimpleGrid>
    </Panel>
  )
}
