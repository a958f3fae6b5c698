#!/usr/bin/env node
// npm run reset: deletes the data, secrets and logs of the stack in STATE_DIR.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stateDir } from './bootstrap/config.mjs'
import { Refusal } from './bootstrap/machine/refusal.mjs'
import { run } from './bootstrap/machine/run.mjs'
import { removeDockerParts } from './parts/docker.ts'
import { outsideFolder } from './parts/postgres-place.ts'
import { cleanUpAfterKilled } from './bootstrap/processes/leftovers.mjs'
import { runningLauncher } from './start/state-folder.ts'

await run(async () => {
  const launcher = runningLauncher(stateDir)
  if (launcher) {
    throw new Refusal(`The stack in ${stateDir} is running (process ${launcher.pid}): stop it first, then reset.`)
  }
  if (!existsSync(stateDir)) return void process.stdout.write(`Nothing to delete: ${stateDir} does not exist.\n`)
  await cleanUpAfterKilled(stateDir)
  if (existsSync(join(stateDir, 'logs', 'docker-compose.log'))) removeDockerParts(stateDir)
  for (const folder of [outsideFolder(stateDir), stateDir]) rmSync(folder, { recursive: true, force: true })
  process.stdout.write(`Deleted: ${stateDir}. The next npm start begins empty.\n`)
})
