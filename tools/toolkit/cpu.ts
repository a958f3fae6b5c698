// CPU time of process trees, from /proc (Linux).
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** CPU time of processes by their names. */
export type CpuTimes = Record<string, number>
/** Ids of processes by their names; undefined for one that does not run here. */
export type Pids = Record<string, number | undefined>

interface ProcessTime {
  /** Process id of the parent. */
  parent: number
  /** Clock ticks, with those of children that have ended. */
  ticks: number
}

const TICKS = Number(execFileSync('getconf', ['CLK_TCK']))

/** Every process by its id. */
function processes(): Map<number, ProcessTime> {
  const all = new Map<number, ProcessTime>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0)
      all.set(Number(name), { parent: Number(fields[1]), ticks })
    } catch {
      // The process has ended meanwhile.
    }
  }
  return all
}

/** CPU time of each process between two readings of `cpuOf`, per unit of work, µs. */
export const cpuBetween = (before: CpuTimes, after: CpuTimes, count: number): CpuTimes =>
  Object.fromEntries(Object.entries(after).map(([name, used]) => [name, (used - (before[name] ?? NaN)) / count]))

/** CPU microseconds used so far by each named process and all its descendants. */
export function cpuOf(pids: Pids): CpuTimes {
  const all = processes()
  const treeOf = (pid: number): number => {
    const children = [...all].filter(([, { parent }]) => parent === pid)
    return (all.get(pid)?.ticks ?? 0) + children.reduce((sum, [child]) => sum + treeOf(child), 0)
  }
  const ticksOf = (pid: number | undefined): number => (pid === undefined ? 0 : treeOf(pid))
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, (ticksOf(pid) * 1e6) / TICKS]))
}
