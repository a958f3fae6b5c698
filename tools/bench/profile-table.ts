// Tables of where processes spend their CPU time.
import type { CpuTimes } from '@connectivity/toolkit/cpu'
import { profiled } from '@connectivity/toolkit/profile'
import type { Report, Row } from './report/report.ts'

/** Smaller shares are summed up, so that a table stays readable. */
const LEAST = 0.02

/** A process whose time is shown. */
export interface ProfiledProcess {
  name: string
  pid: number
}

/** CPU time of each process per unit of work, measured without a profiler, and the unit's name. */
export interface Costs {
  cpu: CpuTimes
  unit: string
}

/**
 * Reports where the processes spend their time during `work`, one after the other: shares by the profiler, times as
 * these shares of the costs, because a profiler makes every call dearer.
 */
export async function reportProfile(
  report: Report,
  subject: string,
  processes: readonly ProfiledProcess[],
  { cpu, unit }: Costs,
  work: () => Promise<unknown>,
): Promise<void> {
  for (const { name, pid } of processes) {
    const shares = Object.entries(await profiled(pid, work)).toSorted(([, one], [, other]) => other - one)
    const rest = shares.filter(([, share]) => share < LEAST).reduce((sum, [, share]) => sum + share, 0)
    const shown: [string, number][] = [...shares.filter(([, share]) => share >= LEAST), ['the rest', rest]]
    const rows = shown.map(([place, share]): Row => ({
      name: place,
      also: { '%': 100 * share, [unit]: share * (cpu[name] ?? NaN) },
    }))
    report.table({ title: `${subject}: where the time of ${name} goes`, rows })
  }
}
