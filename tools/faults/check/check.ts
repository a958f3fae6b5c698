// Judges a recorded history. Pure: the same history always gets the same sentences.
import type { History } from '../history/history-types.ts'
import { checkAccess } from './access.ts'
import { checkDigests } from './digests.ts'
import { checkEvents } from './events.ts'
import { checkFeed } from './feed.ts'
import { checkInventory } from './inventory.ts'
import { checkIsolation } from './isolation.ts'
import { checkWaits } from './waits.ts'

/** Kinds of violations: the interface never allows any of them. */
export const KINDS = [
  'lost',
  'stale',
  'duplicated',
  'disordered',
  'partial',
  'unauthorised',
  'failed',
  'starved',
] as const
export type Kind = (typeof KINDS)[number]

/** A sentence for each violation, by kind. */
export type Found = Record<Kind, string[]>

const checks: ((history: History) => Partial<Found>)[] = [
  checkFeed,
  checkDigests,
  checkWaits,
  checkEvents,
  checkInventory,
  checkAccess,
  checkIsolation,
]

export function check(history: History): Found {
  const found = checks.map((one) => one(history))
  return Object.fromEntries(KINDS.map((kind) => [kind, found.flatMap((one) => one[kind] ?? [])])) as Found
}

/** Whether there are no violations. */
export const isClean = (found: Found): boolean => KINDS.every((kind) => found[kind].length === 0)
