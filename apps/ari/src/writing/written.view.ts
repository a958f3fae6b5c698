import type { AriWrite, AriWritten } from '@connectivity/contracts/ari'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { Judgement } from '../judgement/judgement.js'

/** The answer to a call without faults. `written` counts its cells that changed. */
export const writtenAnswer = (
  { property_id, updates }: AriWrite,
  applied: Pick<AriWritten, 'ari_revision' | 'applied_at'>,
  { cells, warnings, written }: Pick<Judgement, 'cells' | 'warnings'> & { written: number },
): AriWritten => ({
  schema_version: SCHEMA_VERSION,
  property_id,
  ...applied,
  updates: updates.length,
  cells_written: written,
  cells_unchanged: cells - written,
  warnings,
})
