// Watches the process that started this one for the user: npm, or the launcher's first process. When it is killed it
// cannot send a signal, and Ctrl-C no longer reaches this process.
import { readFileSync } from 'node:fs'
import { hasKeeper } from '../config.mjs'
import { identify, isAlive } from './identity.mjs'

function statusOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const end = stat.lastIndexOf(')')
  return { title: stat.slice(stat.indexOf('(') + 1, end), parent: Number(stat.slice(end + 2).split(' ')[1]) }
}

/** npm runs scripts through a shell, which may stay between npm and this process, and outlives npm. */
function npmBehindShell(pid) {
  try {
    const { title, parent } = statusOf(pid)
    return !title.startsWith('npm') && statusOf(parent).title.startsWith('npm') ? parent : undefined
  } catch {
    return undefined // no /proc here: the parent alone is watched
  }
}

/** Calls `gone` once when the keeper has ended; returns the timer. */
export function watchKeeper(gone) {
  if (!hasKeeper) return undefined
  const parent = process.ppid
  const npm = npmBehindShell(parent)
  const keeper = npm && identify(npm)
  const timer = setInterval(() => {
    if (process.ppid === parent && (!keeper || isAlive(keeper))) return
    clearInterval(timer)
    gone()
  }, 500)
  return timer.unref()
}
