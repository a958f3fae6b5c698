// npm start -- --docker: PostgreSQL, Redis and Kafka of the compose file, the services as processes of this machine.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { poll } from '@connectivity/toolkit/until'
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
  const isOver = () => launcher.exitCode !== null || existsSync(demoFile(STATE_DIR))
  return (await poll(isOver, { within: READY_WITHIN, every: 500 })) && launcher.exitCode === null
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
