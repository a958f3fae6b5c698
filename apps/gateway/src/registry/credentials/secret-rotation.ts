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
 * @returns `kept`: the secret that stays valid until `keptUntil`, or null; `ended`: the valid ones that end now, the
 * newest first; `past`: those that had ended before
 */
export function rotate<T extends Timed>(
  secrets: readonly T[],
  overlap: number,
  now: Date,
): { past: T[]; ended: T[]; kept: T | null; keptUntil: Date | null; createdAt: Date } {
  const newestFirst = secrets.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  const past = newestFirst.filter(({ endsAt }) => endsAt !== null && endsAt <= now)
  const valid = newestFirst.filter((secret) => !past.includes(secret))
  // Secrets of one credential are identified by their creation time.
  const createdAt = new Date(Math.max(now.getTime(), (newestFirst[0]?.createdAt.getTime() ?? 0) + 1))
  const [newest, ...older] = valid
  if (!newest || overlap === 0) return { past, ended: valid, kept: null, keptUntil: null, createdAt }
  return { past, ended: older, kept: newest, keptUntil: new Date(now.getTime() + overlap * 1_000), createdAt }
}
