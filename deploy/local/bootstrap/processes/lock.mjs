// A lock file that names its holder; the lock of a dead process is void.
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { identify, isAlive } from './identity.mjs'

/**
 * Holder of the lock, or undefined.
 * @param {string} file
 * @returns {import('./identity.mjs').Identity | undefined}
 */
export function holderOf(file) {
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8'))
    return isAlive(holder) ? holder : undefined
  } catch {
    return undefined
  }
}

function linkInto(file) {
  const mine = `${file}.${process.pid}`
  writeFileSync(mine, JSON.stringify(identify(process.pid)), { mode: 0o600 })
  try {
    linkSync(mine, file) // appears complete or not at all
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(mine, { force: true })
  }
}

/**
 * Takes the lock; false when a living process has it, or is taking it.
 * @param {string} file
 */
export function tryTake(file) {
  return linkInto(file) || (!holderOf(file) && takeVoid(file))
}

/**
 * Replaces a void lock, one process at a time: two that both found it void would remove each other's new lock.
 * @param {string} file
 */
function takeVoid(file) {
  const turn = `${file}.turn`
  if (!tryTake(turn)) return false
  try {
    if (holderOf(file)) return false
    rmSync(file, { force: true })
    return linkInto(file)
  } finally {
    release(turn)
  }
}

/**
 * Releases the lock, if this process holds it.
 * @param {string} file
 */
export function release(file) {
  if (holderOf(file)?.pid === process.pid) rmSync(file, { force: true })
}
