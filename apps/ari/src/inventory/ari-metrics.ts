import { Counter } from 'prom-client'

/** Cells of applied calls. */
export const cellsTotal = new Counter({
  name: 'connectivity_ari_cells_total',
  help: 'Cells of applied calls by what became of them.',
  labelNames: ['outcome'] as const,
})

/** Faults of refused calls; each code counts once per call. */
export const faultsTotal = new Counter({
  name: 'connectivity_ari_rejections_total',
  help: 'Calls refused for what they ask, by code of the fault.',
  labelNames: ['fault'] as const,
})

/** Past days that were deleted. */
export const prunedTotal = new Counter({
  name: 'connectivity_ari_pruned_days_total',
  help: 'Stored days deleted because they have passed.',
})
