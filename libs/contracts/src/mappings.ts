import { ArrayMaxSize, ArrayMinSize, IsIn, IsInt, Min, ValidateIf } from 'class-validator'
import type { ExternalPropertyId, Integer, PropertyId, SchemaVersion, ServiceId } from './field-types.js'
import { MAX_ID } from './message-fields.js'
import { Line, NestedList, Optional, SourceId, Trimmed } from './validation.js'

/** Entities that partners map themselves; the property's own code is agreed with operations. */
export const writableEntityTypes = ['room', 'rate_plan'] as const

/** The partner's id of one entity. */
export interface MappingRecord {
  /** Kind of the entity. */
  entity_type: 'property' | 'room' | 'rate_plan'
  /** Our id; the connection's id for the property. */
  service_id: ServiceId
  /**
   * Your id.
   * @maxLength 128
   */
  external_id: string
}

/** The partner's ids of the property, its rooms and rate plans. */
export interface MappingList {
  schema_version: SchemaVersion
  property_id: PropertyId
  external_property_id: ExternalPropertyId
  /** Rises by one with every change; part of the ETag. */
  mapping_version: Integer
  /** Every mapped entity. */
  mappings: MappingRecord[]
  /** Active rooms and rate plans without an id of the partner's. */
  unmapped: UnmappedEntity[]
}

/**
 * An active room or rate plan without an id of the partner's.
 * @public The description of the interface has it by its name.
 */
export interface UnmappedEntity {
  /** Kind of the entity. */
  entity_type: 'room' | 'rate_plan'
  service_id: ServiceId
  /** Name of the room or rate plan. */
  name: string
}

/** The mapping after a write. */
export interface MappingsWritten extends MappingList {
  /** Number of entities whose external id changed; 0 leaves version and ETag unchanged. */
  changed: Integer
}

const MAX_ITEMS = 500

/** One entity's new id; null unmaps it. */
export class MappingWrite {
  /** Kind of the entity. */
  @IsIn(writableEntityTypes)
  entity_type: (typeof writableEntityTypes)[number]

  /** Our id, from GET /catalog/rooms or GET /catalog/rate-plans. */
  @SourceId()
  service_id: string

  /** Your id; null unmaps the entity. */
  @ValidateIf((_item, value) => value !== null)
  @Trimmed()
  @Line(MAX_ID)
  external_id: string | null
}

/** Body of POST /properties/{id}/mappings. */
export class MappingsWrite {
  /** Entities to map or unmap, all or nothing. */
  @NestedList(() => MappingWrite)
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_ITEMS)
  mappings: MappingWrite[]

  /** Version of the mapping that you have read; a conflict unless it is the current one. */
  @Optional()
  @IsInt()
  @Min(0)
  expected_version?: Integer
}
