import { setFlagsFromString } from 'node:v8'

/**
 * Keeps what requests allocate in the young generation. V8 puts new objects into the old one when those of the same place in
 * the code have survived before, such as during a burst at the start, and never changes its mind. They die at once, but
 * keep all younger objects that they name alive until the next major collection. docs/decisions/0024-requests-die-young.md
 */
export const allocateYoung = (): void => setFlagsFromString('--no-allocation-site-pretenuring')
