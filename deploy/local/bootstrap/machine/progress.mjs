// Progress output while the stack starts: a line per step, with the time since the start.
import { began } from '../config.mjs'

// A closed terminal or pipe must not stop the clean-up.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/**
 * Seconds with one fraction digit.
 * @param {number} milliseconds
 */
export const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`

const ERASE = '\r\x1b[K'
let shown = ''

/**
 * Prints a line above the moving one.
 * @param {string} text
 */
export function line(text) {
  process.stdout.write(shown === '' ? `${text}\n` : `${ERASE}${text}\n${shown}`)
}

/**
 * Shows a line that the next call replaces, on a terminal only; an empty text takes it away.
 * @param {string} text
 */
export function moving(text) {
  if (!process.stdout.isTTY || text === shown) return
  shown = text.slice(0, process.stdout.columns - 1)
  process.stdout.write(`${ERASE}${shown}`)
}

/**
 * Prints one progress line.
 * @param {string} text
 */
export const say = (text) => line(`${seconds(Date.now() - began).padStart(8)}  ${text}`)

/**
 * Runs a step and prints its line with the time it took when it is done.
 * @param {string} title
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 * @template T
 */
export async function step(title, work) {
  const from = Date.now()
  const result = await work()
  say(`${title} (${seconds(Date.now() - from)})`)
  return result
}
