// Ends the processes of the pid file: with their signal first, with SIGKILL if they do not end.
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from './identity.mjs'

/** Time for each kind to end by itself, ms; together less than the 20 s that a stop may last. */
const GRACE = { service: 8_000, part: 8_000 }

function signal(pid, name) {
  try {
    process.kill(pid, name)
  } catch {
    // gone, or no longer ours
  }
}

/** Waits until none of the processes is alive; false when one still is after the time. */
export async function gone(entries, withinMs) {
  const deadline = Date.now() + withinMs
  while (entries.some(isAlive)) {
    if (Date.now() >= deadline) return false
    await sleep(50)
  }
  return true
}

/** Kills the processes with the groups they lead. */
export function kill(entries) {
  for (const entry of entries.filter(isAlive)) {
    signal(-entry.pid, 'SIGKILL')
    signal(entry.pid, 'SIGKILL')
  }
}

async function endKind(entries, kind) {
  const living = entries.filter((entry) => entry.kind === kind && isAlive(entry))
  for (const entry of living) signal(entry.pid, entry.signal)
  if (await gone(living, GRACE[kind])) return living
  kill(living)
  await gone(living, 2_000)
  return living
}

/** Kills commands at once: with a polite signal one might end and leave its workers running. */
async function endCommands(entries) {
  const living = entries.filter((entry) => entry.kind === 'command' && isAlive(entry))
  kill(living)
  await gone(living, 2_000)
  return living
}

/** Ends commands, then services, then the parts they need. Returns the entries that were still alive. */
export async function end(entries) {
  return [...(await endCommands(entries)), ...(await endKind(entries, 'service')), ...(await endKind(entries, 'part'))]
}
