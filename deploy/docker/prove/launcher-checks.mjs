// npm start -- --docker: PostgreSQL, Redis and Kafka of the compose file, the services as processes of this machine.
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../local/config.mjs'
import { demoFile } from '../../local/demo/demo-file.mjs'
import { seconds } from '../../local/machine/progress.mjs'
import { check } from './checks.mjs'

const READY_WITHIN = 300_000

const launch = (engine, script, args, stateDir) =>
  engine.startOnMachine([process.execPath, join(root, 'deploy/local', script), ...args], { STATE_DIR: stateDir })

const containers = (engine) => engine.docker(['ps', '--all', '--format', '{{.Names}}']).split('\n').filter(Boolean)

async function isReady(launcher, stateDir) {
  for (const from = Date.now(); Date.now() < from + READY_WITHIN && launcher.exitCode === null; await sleep(500)) {
    if (existsSync(demoFile(stateDir))) return true
  }
  return false
}

/** Starts it, stops it as Ctrl-C does, and forgets it. */
export async function checkLauncher(engine, stateDir) {
  rmSync(stateDir, { recursive: true, force: true })
  const from = Date.now()
  const before = containers(engine).length
  const launcher = launch(engine, 'start.mjs', ['--docker'], stateDir)
  const ready = await isReady(launcher, stateDir)
  check(`npm start -- --docker is ready (${seconds(Date.now() - from)})`, ready)
  check('with three containers', containers(engine).length === before + 3)
  launcher.kill('SIGINT')
  const [code] = launcher.exitCode === null ? await once(launcher, 'exit') : [launcher.exitCode]
  check(`Ctrl-C ends it with ${code}`, code === 0)
  await once(launch(engine, 'reset.mjs', [], stateDir), 'exit')
  check('npm run reset removes its containers', containers(engine).length === before)
}
