import type { CatalogRatePlan, CatalogRoom } from '@connectivity/contracts/catalog-events'
import type { ListedRatePlan, ListedRoom } from '@connectivity/contracts/catalog-lists'

/** The room as its partner sees it: exactly these fields. */
export const listedRoom = (room: CatalogRoom): ListedRoom => ({
  service_id: room.service_id,
  external_id: room.external_id,
  name: room.name,
  kind: room.kind,
  total_units: room.total_units,
  beds_per_unit: room.beds_per_unit,
  bed_type: room.bed_type,
  occupancy: room.occupancy,
  status: room.status,
  updated_at: room.updated_at,
})

/** The rate plan as its partner sees it. Derived and archived plans take no rates. */
export const listedRatePlan = (plan: CatalogRatePlan): ListedRatePlan => ({
  service_id: plan.service_id,
  external_id: plan.external_id,
  name: plan.name,
  room_service_ids: plan.room_service_ids,
  currency: plan.currency,
  pricing_model: plan.pricing_model,
  occupancies: plan.pricing_model === 'per_occupancy' ? (plan.occupancies ?? []) : null,
  derived_from: plan.derived_from,
  writable: plan.status === 'active' && plan.derived_from === null,
  meal_plan: plan.meal_plan,
  refundable: plan.refundable,
  tax_inclusive: plan.tax_inclusive,
  status: plan.status,
  updated_at: plan.updated_at,
})
