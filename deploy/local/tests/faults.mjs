// The short run of faults, on a stack of its own.
import { runNode } from './run-node.mjs'

/** Resolves with whether all was well; what was not it has said itself. */
export const surviveFaults = async ({ track }) =>
  (await runNode(['deploy/faults/faults.mjs', '--short'], {}, track)) === 0
