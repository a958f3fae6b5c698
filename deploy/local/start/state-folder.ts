// One stack per state folder at a time, and always by the same account.
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../bootstrap/machine/refusal.mjs'
import { holderOf, release, tryTake } from '../bootstrap/processes/lock.mjs'

const lock = (stateDir: string): string => join(stateDir, 'launcher.lock')

/** The launcher that runs a stack in this folder, or undefined. */
export const runningLauncher = (stateDir: string) => holderOf(lock(stateDir))

/** Locks the folder for this process; returns a function that releases it. */
export function takeStateFolder(stateDir: string): () => void {
  mkdirSync(stateDir, { recursive: true })
  const owner = statSync(stateDir).uid
  if (process.getuid && owner !== process.getuid()) {
    throw new Refusal(`${stateDir} belongs to another account (uid ${owner}): start as that one, or set STATE_DIR.`)
  }
  if (!tryTake(lock(stateDir))) {
    const pid = runningLauncher(stateDir)?.pid
    if (pid === undefined) throw new Refusal(`Another process is starting a stack in ${stateDir}: try again.`)
    throw new Refusal(
      `A stack already runs in ${stateDir} (process ${pid}): stop it with Ctrl-C there (or kill ${pid}), or set STATE_DIR for a second one.`,
    )
  }
  return () => release(lock(stateDir))
}
