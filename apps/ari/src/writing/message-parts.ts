import type { AppliedUpdate } from '@connectivity/contracts/ari-events'

/** Longest list of updates in one message, bytes: with its envelope the message stays below 900 KB. */
const MAX_PART_BYTES = 890_000

/** Splits the updates, as JSON texts in order, into as few messages as possible, at least one. */
export function inParts(updates: readonly AppliedUpdate[]): string[][] {
  const parts: string[][] = [[]]
  let bytes = 0
  for (const update of updates) {
    const text = JSON.stringify(update)
    const more = Buffer.byteLength(text) + 1
    if (bytes > 0 && bytes + more > MAX_PART_BYTES) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)!.push(text)
    bytes += more
  }
  return parts
}
