// What a person sees while the stack starts: a line per step, with the time since the start.
import { began } from '../config.mjs'

// A closed terminal or pipe must not stop the clean-up.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/** Seconds with one fraction digit. */
export const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`

/** Prints one progress line. */
export function say(text) {
  process.stdout.write(`${seconds(Date.now() - began).padStart(8)}  ${text}\n`)
}

/** Runs a step and prints its line with the time it took when it is done. */
export async function step(title, work) {
  const from = Date.now()
  const result = await work()
  say(`${title} (${seconds(Date.now() - from)})`)
  return result
}
