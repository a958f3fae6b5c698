// Memory of processes, from /proc (Linux).
import { readFileSync } from 'node:fs'

/** Resident memory, MB. */
export function memoryOf(pid: number): number {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return (Number(found?.[1]) * 1024) / 1e6
}
