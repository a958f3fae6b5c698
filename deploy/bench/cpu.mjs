// CPU time of process trees, from /proc (Linux).
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const TICKS = Number(execFileSync('getconf', ['CLK_TCK']))

/** pid → { parent, ticks } of every process, with the time of children that have ended. */
function processes() {
  const all = new Map()
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

/** CPU time of each process between two readings of `cpuOf`, per piece of work, µs. */
export const cpuBetween = (before, after, count) =>
  Object.fromEntries(Object.keys(after).map((name) => [name, (after[name] - before[name]) / count]))

/** CPU microseconds used so far by each named process and all its descendants. */
export function cpuOf(pids) {
  const all = processes()
  const treeOf = (pid) => {
    const children = [...all].filter(([, { parent }]) => parent === pid)
    return (all.get(pid)?.ticks ?? 0) + children.reduce((sum, [child]) => sum + treeOf(child), 0)
  }
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, (treeOf(pid) * 1e6) / TICKS]))
}
