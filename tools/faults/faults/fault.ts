// A fault, and the running system that it is injected into.
import type { History } from '../history/history-types.ts'
import type { Workload } from '../users/workload.ts'
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
  /** Whether it is also part of the short run. */
  isShort?: boolean
  /** Whether no request may fail during the fault. */
  mustServe?: boolean
  /** Whether it affects processes, PostgreSQL or paths so that notifications cannot reach waiting requests. */
  losesNotifications?: boolean
  /** Resolves when the cause is gone. */
  inject: (run: Run<S>) => Promise<void>
}
