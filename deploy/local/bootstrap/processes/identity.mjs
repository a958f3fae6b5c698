// Identifies a process by its id and its start time, because a process id alone is reused later.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * A process by its id and its start time.
 * @typedef {{ pid: number, started: string | undefined }} Identity
 */

function fromProc(pid) {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, ticks] = [fields[0], fields[19]]
  return state === 'Z' || state === 'X' ? undefined : `${boot}/${ticks}`
}

function fromPs(pid) {
  const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '')
}

/**
 * Start time of the process, as text to compare; undefined when it does not exist or is a zombie.
 * @param {number} pid
 * @returns {string | undefined}
 */
export function startOf(pid) {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid)
  } catch {
    return undefined
  }
}

/**
 * Returns the data by which a process can be recognised later.
 * @param {number} pid
 * @returns {Identity}
 */
export const identify = (pid) => ({ pid, started: startOf(pid) })

/**
 * True while exactly that process is alive.
 * @param {Identity} identity
 */
export const isAlive = ({ pid, started }) => started !== undefined && startOf(pid) === started
