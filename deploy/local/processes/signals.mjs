// Ctrl-C, SIGTERM, a closed terminal, a killed parent: each stops in order; asked a second time we end at once.
import { watchKeeper } from './keeper.mjs'

// npm passes on a Ctrl-C which the terminal has already sent to us too; that is not a second one.
const SAME = 1_000

/** Calls `stop(name)` at the first signal, `atOnce(name)` when another follows. Returns how to end listening. */
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
