// The first start runs on the machine's Node; after the installation the repository's own takes over.
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { began, childEnvironment } from '../config.mjs'
import { node } from './install.mjs'
import { watchKeeper } from '../processes/keeper.mjs'

/** True when this process already runs on the repository's Node. */
export const isOwnNode = () => realpathSync(process.execPath) === realpathSync(node)

/**
 * Runs this script again with the repository's Node; resolves with its exit code.
 * @returns {Promise<number>}
 */
export function runAgain() {
  const child = spawn(node, process.argv.slice(1), {
    env: childEnvironment({ LAUNCHER_BEGAN: String(began) }),
    stdio: 'inherit',
  })
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name))
  watchKeeper(() => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)))
  })
}
