/** One id of the partner's for a room or rate plan of ours; the property's own code stands on the connection. */
export interface Mapping {
  entity_type: 'room' | 'rate_plan'
  service_id: string
  external_id: string
}
