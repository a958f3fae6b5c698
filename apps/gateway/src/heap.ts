import { setFlagsFromString } from 'node:v8'

/**
 * Collects the old generation whenever it has grown by a tenth; V8 by itself lets it grow by half and more. Waiting
 * requests survive, and so does what is left of their arrival until the next collection. NODE_OPTIONS does not allow this
 * option. docs/decisions/0024-requests-die-young.md
 */
setFlagsFromString('--heap-growing-percent=10')
