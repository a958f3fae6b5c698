// A process id alone names nothing for long: it is given to another process later. Together with the time its
// process started it does.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

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

/** When the process started, as text to compare; undefined when there is none (or only its unreaped rest). */
export function startOf(pid) {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid)
  } catch {
    return undefined
  }
}

/** What to write down about a process so that it can be recognised later. */
export const identify = (pid) => ({ pid, started: startOf(pid) })

/** True while exactly that process lives. */
export const isAlive = ({ pid, started }) => started !== undefined && startOf(pid) === started
