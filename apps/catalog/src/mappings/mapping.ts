/** A partner's id for one of our rooms or rate plans; the property's own code is stored with the connection. */
export interface Mapping {
  entity_type: 'room' | 'rate_plan'
  service_id: string
  external_id: string
}
