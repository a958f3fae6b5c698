// npm start -- --docker: PostgreSQL, Redis and Kafka of the compose file, the services as processes of this machine.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../local/bootstrap/config.mjs'
import { demoFile } from '../../local/demo/demo-file.ts'
import { seconds } from '../../local/bootstrap/machine/progress.mjs'
import { check } from './checks.ts'
import { docker, start } from './docker.ts'

const STATE_DIR = join(root, 'deploy/local/.state-proof-launcher')
const READY_WITHIN = 300_000

const launch = (script: string, ...args: string[]): ChildProcess =>
  start([join(root, 'deploy/local', script), ...args], { STATE_DIR })

const containers = (): string[] => docker(['ps', '--all', '--format', '{{.Names}}']).split('\n').filter(Boolean)

async function isReady(launcher: ChildProcess): Promise<boolean> {
  for (const from = Date.now(); Date.now() < from + READY_WITHIN && launcher.exitCode === null; await sleep(500)) {
    if (existsSync(demoFile(STATE_DIR))) return true
  }
  return false
}

/** Starts the launcher, stops it as Ctrl-C does, and removes its state. */
export async function checkLauncher(): Promise<void> {
  rmSync(STATE_DIR, { recursive: true, force: true })
  const from = Date.now()
  const before = containers().length
  const launcher = launch('start.mjs', '--docker')
  const ready = await isReady(launcher)
  check(`npm start -- --docker is ready (${seconds(Date.now() - from)})`, ready)
  check('with three containers', containers().length === before + 3)
  launcher.kill('SIGINT')
  if (launcher.exitCode === null) await once(launcher, 'exit')
  check(`Ctrl-C ends it with ${launcher.exitCode}`, launcher.exitCode === 0)
  await once(launch('reset.ts'), 'exit')
  check('npm run reset removes its containers', containers().length === before)
}
