// All faults, in the order of a run.
import { isolation } from '../isolation/rounds.ts'
import { kills } from './kills.mjs'
import { messages } from './messages.mjs'
import { network } from './network.mjs'
import { parts } from './parts.mjs'
import { pauses } from './pauses.mjs'
import { restarts } from './restarts.mjs'

/**
 * @typedef {{ stack: import('../stack/fault-stack.mjs').FaultStack, workload: import('../history/workload.mjs').Workload,
 *   isShort: boolean }} Run
 * @typedef {{ name: string, about: string, isShort?: boolean, mustServe?: boolean, inject: (run: Run) => Promise<void> }} Fault
 *   `isShort`: also part of the short run; `mustServe`: no request may fail meanwhile; `inject` resolves when the cause
 *   is gone
 */

/** @type {Fault[]} */
export const faults = [...messages, ...restarts, ...kills, ...pauses, ...parts, ...network, ...isolation]
