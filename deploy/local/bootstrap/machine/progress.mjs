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

/** Interval of the moving line, and of the lines where nothing can move, ms. */
const MOVES_EVERY = 250
const SAYS_EVERY = 10_000

/** Descriptions of the work that runs, oldest first. */
const running = new Set()
let timer
let saidAt = 0

function show() {
  const text = [...running].map((describe) => describe()).join(', ')
  if (process.stdout.isTTY) return moving(`${seconds(Date.now() - began).padStart(8)}  ${text}`)
  if (Date.now() - saidAt < SAYS_EVERY) return
  saidAt = Date.now()
  say(text)
}

/**
 * Shows how far long work is until it ends: in the moving line on a terminal, otherwise in a line every 10 s.
 * @param {() => string} describe
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @template T
 */
export async function showingProgress(describe, work) {
  if (running.size === 0) {
    saidAt = Date.now()
    timer = setInterval(show, MOVES_EVERY)
  }
  running.add(describe)
  try {
    return await work()
  } finally {
    running.delete(describe)
    if (running.size === 0) {
      clearInterval(timer)
      moving('')
    }
  }
}

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
