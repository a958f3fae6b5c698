/** One id of the partner's for an entity of ours, spec.md "Mapping record". */
export interface Mapping {
  entity_type: 'property' | 'room' | 'rate_plan'
  service_id: string
  external_id: string
}
