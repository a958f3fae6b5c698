// Judges a recorded history. Pure: the same history always gets the same sentences.
import { checkAccess } from './access.mjs'
import { checkEvents } from './events.mjs'
import { checkFeed } from './feed.mjs'
import { checkInventory } from './inventory.mjs'
import { checkIsolation } from './isolation.ts'

/** Kinds of violations: spec.md and api.md never allow any of them. */
export const KINDS = ['lost', 'stale', 'duplicated', 'disordered', 'partial', 'unauthorised', 'failed', 'starved']

/**
 * @param {import('../history/history.mjs').History} history
 * @returns {Record<string, string[]>} a sentence for each violation, by kind
 */
export function check(history) {
  const found = [checkFeed, checkEvents, checkInventory, checkAccess, checkIsolation].map((one) => one(history))
  return Object.fromEntries(KINDS.map((kind) => [kind, found.flatMap((one) => one[kind] ?? [])]))
}

/** Whether there are no violations. */
export const isClean = (found) => KINDS.every((kind) => found[kind].length === 0)
