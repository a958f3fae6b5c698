import { setFlagsFromString } from 'node:v8'

/**
 * Collects the old generation whenever it has grown by a tenth; V8 by itself lets it grow by half and more. Waiting
 * requests get old, and the garbage of their arrival stays until the next collection. NODE_OPTIONS does not allow this
 * option. docs/decisions/0024-requests-die-young.md
 */
setFlagsFromString('--heap-growing-percent=10')
