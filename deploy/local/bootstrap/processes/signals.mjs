// Ctrl-C, SIGTERM, a closed terminal, a killed parent: each stops the run in order; a second one ends it at once.
import { watchKeeper } from './keeper.mjs'

// npm forwards a Ctrl-C which the terminal has already sent to this process too; that is not a second one.
const SAME = 1_000

/** Calls `stop(name)` at the first signal, `atOnce(name)` at the next. Returns a function that stops listening. */
export function onStopSignals(stop, atOnce) {
  let first
  const asked = (name) => {
    if (first === undefined) {
      first = Date.now()
      stop(name)
    } else if (Date.now() - first > SAME && name !== 'parent') {
      atOnce(name)
    }
  }
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const name of names) process.on(name, asked)
  const timer = watchKeeper(() => asked('parent'))
  return () => {
    clearInterval(timer)
    for (const name of names) process.off(name, asked)
  }
}
