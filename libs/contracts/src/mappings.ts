import { ArrayMaxSize, ArrayMinSize, IsIn, IsInt, Min, ValidateIf } from 'class-validator'
import type { Integer } from './field-types.js'
import { Line, MAX_ID, NestedList, Optional, SourceId, Trimmed } from './validation.js'

/** The property's own code is agreed with operations; partners map the rest. */
export const writableEntityTypes = ['room', 'rate_plan'] as const

/** What the partner calls one entity. */
export interface MappingRecord {
  entity_type: 'property' | 'room' | 'rate_plan'
  /** The service's own id; the connection's id for the property. */
  service_id: string
  /** The partner's id. */
  external_id: string
}

/** What the partner calls the property, its rooms and rate plans. */
export interface MappingList {
  schema_version: string
  property_id: string
  external_property_id: string
  /** Rises by one with every change; part of the ETag. */
  mapping_version: Integer
  mappings: MappingRecord[]
  /** Active rooms and rate plans without an id of the partner's. */
  unmapped: { entity_type: 'room' | 'rate_plan'; service_id: string; name: string }[]
}

/** The mapping after a write. */
export interface MappingsWritten extends MappingList {
  /** Entities whose external id is another one than before; 0 leaves version and ETag alone. */
  changed: Integer
}

const MAX_ITEMS = 500

/** One entity's new id; null unmaps it. */
export class MappingWrite {
  @IsIn(writableEntityTypes)
  entity_type: (typeof writableEntityTypes)[number]

  @SourceId()
  service_id: string

  @ValidateIf((_item, value) => value !== null)
  @Trimmed()
  @Line(MAX_ID)
  external_id: string | null
}

/** Body of POST /properties/{id}/mappings. */
export class MappingsWrite {
  @NestedList(() => MappingWrite)
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_ITEMS)
  mappings: MappingWrite[]

  /** The version that the caller has read; another one is a conflict. */
  @Optional()
  @IsInt()
  @Min(0)
  expected_version?: Integer
}
