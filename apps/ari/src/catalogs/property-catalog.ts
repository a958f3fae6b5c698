import type { CatalogRatePlan, CatalogRoom, ConnectionCatalog } from '@connectivity/contracts/catalog-events'

/** An entity as named by an update: by the service's own id or by the partner's. */
export interface EntityName {
  serviceId: string | undefined
  externalId: string | undefined
}

/** Rooms or rate plans of a property by either id. */
export class Entities<E extends CatalogRoom | CatalogRatePlan> {
  private readonly byServiceId: ReadonlyMap<string, E>
  private readonly byExternalId: ReadonlyMap<string, E>

  constructor(readonly all: readonly E[]) {
    this.byServiceId = new Map(all.map((entity) => [entity.service_id, entity]))
    this.byExternalId = new Map(
      all.flatMap((entity) => (entity.external_id === null ? [] : [[entity.external_id, entity]])),
    )
  }

  /** Finds an entity by our id. Includes archived entities. */
  get(serviceId: string): E | undefined {
    return this.byServiceId.get(serviceId)
  }

  /** Includes archived entities. */
  withExternalId(externalId: string): E | undefined {
    return this.byExternalId.get(externalId)
  }

  /** Finds an entity that can be written to; archived ones count as unknown. */
  active({ serviceId, externalId }: EntityName): E | undefined {
    const entity = serviceId === undefined ? this.withExternalId(externalId ?? '') : this.get(serviceId)
    return entity?.status === 'active' ? entity : undefined
  }
}

/** A connection's view of its property, indexed for lookups. */
export interface PropertyCatalog {
  connectionId: string
  /** The booking engine's id. */
  propertyId: string
  version: number
  timezone: string
  rooms: Entities<CatalogRoom>
  ratePlans: Entities<CatalogRatePlan>
}

/** Indexes a catalog for lookups. */
export const propertyCatalog = (catalog: ConnectionCatalog): PropertyCatalog => ({
  connectionId: catalog.connection_id,
  propertyId: catalog.property_id,
  version: catalog.catalog_version,
  timezone: catalog.timezone,
  rooms: new Entities(catalog.rooms),
  ratePlans: new Entities(catalog.rate_plans),
})
