// The harness stands for the machines of the healthy partner, the booking engine and the network. Its own waits for a
// processor would count as waits for the services.
import { existsSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Priority of a process that runs before those of the usual priority. */
const FIRST = -10
const USUAL = 0

/**
 * Priority of this process's session. Where the kernel has this file, it divides the processors between sessions, and
 * the priority of a process counts only within its session. Source: sched(7), "The autogroup feature".
 */
const SESSION = '/proc/self/autogroup'

function setPriorities(priority: number): void {
  setPriority(priority)
  if (existsSync(SESSION)) writeFileSync(SESSION, String(priority))
}

/** Does the work while this process runs before all others. Needs root; otherwise works at the usual priority. */
export async function ahead<T>(work: () => Promise<T>): Promise<T> {
  try {
    setPriorities(FIRST)
  } catch {
    return work()
  }
  return work().finally(() => setPriorities(USUAL))
}
