// Ends every script here with exit code 0, or with one sentence and exit code 1.
import { fullDisk } from './disk.mjs'
import { Refusal } from './refusal.mjs'

/**
 * Text for an error: the sentence of a refusal or of a full disk, else the error with its stack.
 * @returns {string}
 */
export function explain(error) {
  const text = error instanceof Refusal ? error.message : (error?.stack ?? String(error))
  return fullDisk(text) ?? text
}

/**
 * Runs a script's main function and turns any error into a message and an exit code.
 * @param {() => Promise<number | void>} main gives the exit code
 */
export async function run(main) {
  try {
    process.exitCode = (await main()) ?? 0
  } catch (error) {
    process.stderr.write(`\n${explain(error)}\n`)
    process.exitCode = 1
  }
}
