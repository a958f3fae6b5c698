// Frame of the programs that run in the namespaces of isolated.ts, with a folder for everything that they write.
import { join } from 'node:path'
import { run } from '../../../local/bootstrap/machine/run.mjs'
import { step } from '../../../local/bootstrap/machine/progress.mjs'
import type { Stack } from '../../../local/bootstrap/processes/stack.mjs'
import { withStack } from '../../../local/bootstrap/processes/with-stack.mjs'
import { ControlPlane } from '../control-plane.ts'
import { ADDRESS, bringUpNetwork, isolateFiles } from './network.ts'

/** Starts the control plane of a node on this machine; it ends with the stack. */
export async function startControlPlane(stack: Stack) {
  const { plane, kubectl } = await step('the control plane is up', () => ControlPlane.start(ADDRESS))
  stack.atEnd(() => plane.stop())
  return { plane, kubectl }
}

/**
 * Runs a proof in this process's namespaces, with network and files of their own, and ends the process.
 * @param option of `npm run kubernetes:prove`, which starts the program
 */
export async function proveInside(
  option: string,
  prove: (stack: Stack, folder: string) => Promise<boolean>,
): Promise<never> {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error(`npm run kubernetes:prove -- ${option} starts this program`)
  await run(() =>
    withStack({ dir: join(folder, 'stack') }, async (stack) => {
      isolateFiles(folder)
      bringUpNetwork()
      // Whatever runs in the namespaces ends with this process: no database has to be closed in order.
      process.exit((await prove(stack, folder)) ? 0 : 1)
    }),
  )
  process.exit()
}
