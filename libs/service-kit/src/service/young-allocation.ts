import { setFlagsFromString } from 'node:v8'

/**
 * Keeps V8 from pretenuring: from allocating objects in the old generation because earlier ones from the same place in
 * the code have survived. The first requests of a process survive more often than later ones, so half of all processes
 * pretenured parts of a request for good, and a request cost them up to twice the CPU. NODE_OPTIONS does not allow this
 * option. docs/decisions/0024-requests-die-young.md
 */
export const allocateYoung = (): void => setFlagsFromString('--no-allocation-site-pretenuring')
