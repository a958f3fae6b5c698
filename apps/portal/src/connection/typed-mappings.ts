import { answerOf, useChange } from '@connectivity/ui'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Connection } from '../api/connections.ts'
import { useDraft } from '../session/draft.ts'
import { type Entity, keyOf } from './entities.ts'
import type { ByEntity } from './entity-fields.tsx'
import type { Write } from './mapping-faults.ts'

/** The mappings of a connection, as they are stored. */
export interface Mapped {
  entities: Entity[]
  /** External ids by entity. */
  known: ByEntity
  version: number
}

/** Reads the stored mappings again. */
export type Reload = () => Promise<{ data: Mapped | undefined; isSuccess: boolean }>

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

interface Draft {
  typed: ByEntity
  /** Version that was shown when typing began: what another person saves later is a conflict. */
  version: number | null
}

const NOTHING: Draft = { typed: new Map(), version: null }

const draftOf = (typed: ByEntity, version: number): Draft => (typed.size === 0 ? NOTHING : { typed, version })

interface Save {
  mappings: Write
  expected_version: number
}

function useSaving({ property_id: id }: Connection, onSaved: (saved: Write, version: number) => void) {
  const client = useQueryClient()
  return useChange(
    (keyOf, body: Save) =>
      answerOf(api.POST('/properties/{id}/mappings', { params: { path: { id }, header: keyOf(body) }, body })),
    async ({ mapping_version: version }, { mappings }) => {
      await client.invalidateQueries({ queryKey: ['mappings', id] })
      void client.invalidateQueries({ queryKey: ['connections'] })
      onSaved(mappings, version)
    },
  )
}

/**
 * What is typed, the changes in it, and how they are saved.
 * @param reload reads the mappings again
 */
export function useTyping(mapped: Mapped, connection: Connection, reload: Reload) {
  const [draft, setDraft] = useDraft(`mappings ${connection.property_id}`, NOTHING)
  const saving = useSaving(connection, (saved, version) =>
    setDraft((now) => draftOf(unsaved(now.typed, saved), version)),
  )
  const changes = changesOf(mapped, draft.typed)
  const version = (changes.length > 0 ? draft.version : null) ?? mapped.version
  const onType = (entity: Entity, text: string) => {
    const typed = new Map(draft.typed).set(keyOf(entity), text)
    // Drop a text that equals the stored id: kept, it would hide a later change by another person.
    if (text === (mapped.known.get(keyOf(entity)) ?? '')) typed.delete(keyOf(entity))
    setDraft(draftOf(typed, version))
  }
  const save = () => saving.send({ mappings: changes, expected_version: version })
  const loadAgain = async () => {
    const { data, isSuccess } = await reload()
    if (!isSuccess || !data) return
    saving.clear()
    setDraft(({ typed }) => ({ typed, version: data.version }))
  }
  return { typed: draft.typed, changes, saving, onType, save, loadAgain }
}
