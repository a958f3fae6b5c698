import type { PropertyConnection } from '@connectivity/contracts/properties'
import type { Scope } from '@connectivity/contracts/scopes'
import { timestampOf } from '@connectivity/contracts/time'
import type { FeedFacts } from './feed-facts.client.js'
import type { AssignedProperty } from './property.store.js'

/** A connection as GET /properties lists it. */
export const presentProperty = (
  property: AssignedProperty,
  facts: FeedFacts | undefined,
  scopes: readonly Scope[],
): PropertyConnection => ({
  property_id: property.connection_id,
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
    last_change_at: timestampOf(property.last_change_at),
    last_polled_at: timestampOf(property.last_polled_at),
    waiting: facts?.waiting ?? null,
    last_proven_at: facts?.last_proven_at ?? null,
  },
  created_at: property.created_at.toISOString(),
  disabled_at: timestampOf(property.disabled_at),
  disabled_reason: property.disabled_reason,
})
