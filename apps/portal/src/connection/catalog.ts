import { answerOf } from '@connectivity/ui'
import { api } from '../api/client.ts'
import { entitiesOf, type Entity } from './entities.ts'

/** The rooms and rate plans of a connection's catalog. */
export async function readEntities(connectionId: string): Promise<Entity[]> {
  const query = { params: { query: { property_id: connectionId } } }
  const [{ rooms }, { rate_plans: plans }] = await Promise.all([
    answerOf(api.GET('/catalog/rooms', query)),
    answerOf(api.GET('/catalog/rate-plans', query)),
  ])
  return entitiesOf(rooms, plans)
}
