import { Controller, Get } from '@nestjs/common'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import type { PropertyConnection, PropertyList } from '@connectivity/contracts/properties'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { Scope } from '@connectivity/contracts/scopes'
import { type Admitted, AdmittedRequest, showsAnswer } from '../../admission/admitted.js'
import { Evidence } from '../production/evidence.service.js'
import { type FeedFacts, FeedFactsClient } from './feed-facts.client.js'
import { type AssignedProperty, PropertyStore } from './property.store.js'

/** GET /properties. */
@Controller(BASE_PATH)
export class PropertiesController {
  constructor(
    private readonly properties: PropertyStore,
    private readonly evidence: Evidence,
    private readonly feed: FeedFactsClient,
  ) {}

  @Get('properties')
  async list(@AdmittedRequest() admitted: Admitted): Promise<PropertyList> {
    const { credential, id } = admitted
    const only = credential.ownConnectionOnly ? credential.connectionId : null
    const assigned = await this.properties.assigned(credential.applicationId, only)
    const ids = assigned.map(({ property_id }) => property_id)
    const facts = await this.feed.of(ids, admitted)
    const properties = assigned.map((one) => present(one, facts.get(one.property_id), credential.scopes))
    if (showsAnswer(admitted)) this.evidence.listed(ids, id)
    return { schema_version: SCHEMA_VERSION, properties }
  }
}

const timestamp = (time: Date | null): string | null => time?.toISOString() ?? null

const present = (
  property: AssignedProperty,
  facts: FeedFacts | undefined,
  scopes: readonly Scope[],
): PropertyConnection => ({
  property_id: property.property_id,
  external_property_id: property.external_property_id,
  name: property.name,
  state: property.state,
  environment: property.environment,
  timezone: property.timezone,
  currency: property.currency,
  country: property.country,
  capabilities: scopes,
  mapping: {
    version: property.mapping_version,
    rooms_mapped: property.rooms_mapped,
    rooms_total: property.rooms_total,
    rate_plans_mapped: property.rate_plans_mapped,
    rate_plans_total: property.rate_plans_total,
  },
  feed: {
    last_change_at: timestamp(property.last_change_at),
    last_polled_at: timestamp(property.last_polled_at),
    waiting: facts?.waiting ?? null,
    last_proven_at: facts?.last_proven_at ?? null,
  },
  created_at: property.created_at.toISOString(),
  disabled_at: timestamp(property.disabled_at),
  disabled_reason: property.disabled_reason,
})
