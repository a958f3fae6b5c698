// Runs work that starts processes, and ends all of them whether the work succeeds or fails.
import { say } from '../machine/progress.mjs'
import { onStopSignals } from './signals.mjs'
import { Stack } from './stack.mjs'

const never = new Promise(() => {})

/**
 * @param {ConstructorParameters<typeof Stack>[0] & { exitCode?: () => number }} options `exitCode`: of a stop by signal
 * @param {(stack: Stack) => Promise<T>} work
 * @returns {Promise<T>} when everything has ended
 * @template T
 */
export async function withStack({ exitCode = () => 130, ...options }, work) {
  const stack = new Stack(options)
  let stopped = false
  const stop = async () => {
    stopped = true
    say('stopping')
    await stack.end()
    say('stopped')
    process.exit(exitCode())
  }
  const forget = onStopSignals(stop, () => {
    stack.kill()
    process.exit(130)
  })
  try {
    return await work(stack)
  } finally {
    if (stopped) await never // ignore the work's errors about its killed commands
    await stack.end()
    forget()
  }
}
