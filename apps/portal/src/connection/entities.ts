import { answerOf } from '@connectivity/ui'
import { api } from '../api/client.ts'

/** A room or rate plan of the property. */
export interface Entity {
  type: 'room' | 'rate_plan'
  /** The service's own id. */
  id: string
  /** Its name; with the id where the name is not unique. */
  label: string
}

/** Names an entity among rooms and plans. */
export const keyOf = ({ type, id }: { type: string; id: string }): string => `${type} ${id}`

interface Named {
  service_id: string
  name: string
  status: string
}

function entitiesOf(type: Entity['type'], all: readonly Named[]): Entity[] {
  const active = all.filter(({ status }) => status === 'active')
  const count = Map.groupBy(active, ({ name }) => name)
  return active.map(({ service_id: id, name }) => ({
    type,
    id,
    label: count.get(name)!.length > 1 ? `${name} (${id})` : name,
  }))
}

/** Active rooms and rate plans, rooms first. */
export async function readEntities(connectionId: string): Promise<Entity[]> {
  const query = { params: { query: { property_id: connectionId } } }
  const [{ rooms }, { rate_plans: plans }] = await Promise.all([
    answerOf(api.GET('/catalog/rooms', query)),
    answerOf(api.GET('/catalog/rate-plans', query)),
  ])
  return [...entitiesOf('room', rooms), ...entitiesOf('rate_plan', plans)]
}
