// `npm start` and `npm test` may run at the same time in one clone. They write shared folders (node_modules, dist, the
// downloads) one after the other.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { downloads } from '../config.mjs'
import { holderOf, release, tryTake } from '../processes/lock.mjs'
import { say } from '../machine/progress.mjs'

const file = join(downloads, 'install.lock')

/**
 * Runs `work` while no other process of this clone installs or builds.
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 * @template T
 */
export async function alone(work) {
  mkdirSync(downloads, { recursive: true })
  for (let told = false; !tryTake(file); told = true) {
    if (!told) say(`waiting for another installation or build in this clone (process ${holderOf(file)?.pid})`)
    await sleep(200)
  }
  try {
    return await work()
  } finally {
    release(file)
  }
}
