/** A room or rate plan of the property. */
export interface Entity {
  type: 'room' | 'rate_plan'
  /** The service's own id. */
  id: string
  /** Its name; with the id where another room or rate plan has the same name. */
  label: string
}

/** Names an entity among rooms and plans. */
export const keyOf = ({ type, id }: { type: string; id: string }): string => `${type} ${id}`

interface Named {
  service_id: string
  name: string
  status: string
}

/** Active rooms and rate plans, rooms first. */
export function entitiesOf(rooms: readonly Named[], plans: readonly Named[]): Entity[] {
  const active = [
    ...rooms.map((room) => ({ type: 'room' as const, ...room })),
    ...plans.map((plan) => ({ type: 'rate_plan' as const, ...plan })),
  ].filter(({ status }) => status === 'active')
  const count = Map.groupBy(active, ({ name }) => name)
  return active.map(({ type, service_id: id, name }) => ({
    type,
    id,
    label: count.get(name)!.length > 1 ? `${name} (${id})` : name,
  }))
}
