#!/usr/bin/env node
// node deploy/docker/prove.ts: builds the images with this machine's Docker, inspects each of the five, brings
// docker-compose.yml up and down with them, and prints the results.
import { ready } from '../local/bootstrap/install/ready.mjs'
import { step } from '../local/bootstrap/machine/progress.mjs'
import { run } from '../local/bootstrap/machine/run.mjs'
import { runAgain } from '../local/bootstrap/install/own-node.mjs'
import { services } from '../local/services/names.ts'
import { result } from './prove/checks.ts'
import { checkDocker } from './prove/docker.ts'
import { baseImage, checkImage } from './prove/image-checks.ts'
import { checkLauncher } from './prove/launcher-checks.ts'
import { System } from './prove/system-checks.ts'

function proveSystem(system: System): void {
  system.remove() // leftovers of a killed proof
  try {
    system.up()
    system.checkRunning()
    system.checkFirstRequest()
    system.checkChange()
    system.checkOperators()
    system.checkAgain()
    system.checkStop()
  } catch (error) {
    process.stderr.write(`${system.logs()}\n`)
    throw error
  } finally {
    system.remove()
  }
}

await run(async () => {
  if (!(await ready({ parts: false }))) return runAgain()
  checkDocker()
  const base: string = await step('the base image is here', baseImage)
  const system = new System()
  await step('the images are built', () => system.compose('build', '--quiet'))
  for (const { name } of services) checkImage(name, base)
  proveSystem(system)
  await checkLauncher()
  return result()
})
