// Judges a recorded history. Pure: the same history always gets the same words.
import { checkAccess } from './access.mjs'
import { checkEvents } from './events.mjs'
import { checkFeed } from './feed.mjs'
import { checkInventory } from './inventory.mjs'
import { checkIsolation } from './isolation.ts'

/** What can have gone wrong: spec.md and api.md allow none of it at any time. */
export const KINDS = ['lost', 'stale', 'duplicated', 'disordered', 'partial', 'unauthorised', 'failed', 'starved']

/**
 * @param {import('../history/history.mjs').History} history
 * @returns {Record<string, string[]>} a sentence for each violation, by kind
 */
export function check(history) {
  const found = [checkFeed, checkEvents, checkInventory, checkAccess, checkIsolation].map((one) => one(history))
  return Object.fromEntries(KINDS.map((kind) => [kind, found.flatMap((one) => one[kind] ?? [])]))
}

/** Whether all is well. */
export const isClean = (found) => KINDS.every((kind) => found[kind].length === 0)
