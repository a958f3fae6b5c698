import { Counter } from 'prom-client'
import type { Fault } from '../judgement/fault.js'

/** Cells of applied calls. */
const cellsTotal = new Counter({
  name: 'connectivity_ari_cells_total',
  help: 'Cells of applied calls by what became of them.',
  labelNames: ['outcome'] as const,
})

/** Faults of refused calls; each code counts once per call. */
const faultsTotal = new Counter({
  name: 'connectivity_ari_rejections_total',
  help: 'Calls refused for what they ask, by code of the fault.',
  labelNames: ['fault'] as const,
})

/** Counts the cells of applied calls. */
export function countCells({ written, unchanged }: { written: number; unchanged: number }): void {
  cellsTotal.inc({ outcome: 'written' }, written)
  cellsTotal.inc({ outcome: 'unchanged' }, unchanged)
}

/** Counts the faults of one refused call. */
export function countFaults(faults: readonly Fault[]): void {
  for (const fault of new Set(faults.map(({ code }) => code))) faultsTotal.inc({ fault })
}
