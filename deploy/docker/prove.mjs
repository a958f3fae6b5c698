#!/usr/bin/env node
// node deploy/docker/prove.mjs [--keep]: builds the five images, looks into each, brings docker-compose.yml up and down
// with them, and says what held. It takes the Docker engine at hand; without one, as root on Debian, Debian's own in a
// folder of its own (PROOF_DIR, default /var/tmp/partner-connectivity-proof; --keep leaves it for the next time).
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ready } from '../local/machine/ready.mjs'
import { step } from '../local/machine/progress.mjs'
import { run } from '../local/machine/run.mjs'
import { runAgain } from '../local/processes/own-node.mjs'
import { services } from '../local/services/names.mjs'
import { result } from './prove/checks.mjs'
import { findEngine } from './prove/engine.mjs'
import { checkImage } from './prove/image-checks.mjs'
import { checkLauncher } from './prove/launcher-checks.mjs'
import { provideImages } from './prove/stand-ins.mjs'
import { System } from './prove/system-checks.mjs'

const folder = process.env.PROOF_DIR || '/var/tmp/partner-connectivity-proof'
const imagesFolder = join(folder, 'images')

async function proveSystem(system) {
  system.remove() // what a proof that was killed has left
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

async function prove(engine) {
  const images = await provideImages(engine, imagesFolder)
  const system = new System(engine)
  await step('the five images are built', () => system.compose('build', '--quiet'))
  for (const { name } of services) checkImage(engine, name, images.node)
  await proveSystem(system)
  await checkLauncher(engine, join(folder, 'state'))
}

await run(async () => {
  if (!(await ready({ parts: false }))) return runAgain()
  const engine = await findEngine(folder, [imagesFolder])
  try {
    await prove(engine)
  } finally {
    await engine.end()
    if (engine.own && !process.argv.includes('--keep')) rmSync(folder, { recursive: true, force: true })
  }
  return result()
})
