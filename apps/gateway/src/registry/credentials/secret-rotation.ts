/** Creation and end of a secret, for its rotation. */
interface Timed {
  createdAt: Date
  endsAt: Date | null
}

/** 7 days, seconds. */
export const DEFAULT_OVERLAP = 604_800

/**
 * Decides which of a credential's secrets end when it gets a new one: at most one old secret stays valid.
 * @param overlap time for which the newest old secret stays valid, seconds
 * @returns `ended`: secrets to invalidate now; `kept`: the secret that stays valid until `keptUntil`, or null
 */
export function rotate<T extends Timed>(
  secrets: readonly T[],
  overlap: number,
  now: Date,
): { ended: T[]; kept: T | null; keptUntil: Date | null; createdAt: Date } {
  const [newest, ...older] = secrets.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  // Secrets of one credential are identified by their creation time.
  const createdAt = new Date(Math.max(now.getTime(), (newest?.createdAt.getTime() ?? 0) + 1))
  if (!newest || overlap === 0) return { ended: [...secrets], kept: null, keptUntil: null, createdAt }
  return { ended: older, kept: newest, keptUntil: new Date(now.getTime() + overlap * 1_000), createdAt }
}
