// A fault, and the running system that it is injected into.
import type { History } from '../history/history-types.ts'
import type { Workload } from '../history/workload.ts'
import type { FaultStack } from '../stack/fault-stack.ts'
import type { System } from '../stack/system.ts'

/** The system under load that faults are injected into. */
export interface Run<S extends System = FaultStack> {
  stack: S
  workload: Workload
  history: History
  isShort: boolean
}

export interface Fault<S extends System = FaultStack> {
  name: string
  about: string
  /** Also part of the short run. */
  isShort?: boolean
  /** No request may fail meanwhile. */
  mustServe?: boolean
  /** Cuts waiting requests off from notifications of changes: processes, PostgreSQL, or the ways to them. */
  losesNotifications?: boolean
  /** Resolves when the cause is gone. */
  inject: (run: Run<S>) => Promise<void>
}
