// Memory of processes, from /proc (Linux).
import { readFileSync } from 'node:fs'

/** Resident memory of a process, bytes. */
export function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Number(kibibytes) * 1024
}
