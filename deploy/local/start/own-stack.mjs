// A stack for one program: npm start in a temporary folder, ended and removed with the program's work.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../config.mjs'
import { until } from '../machine/until.mjs'

const READY_LIMIT = 180_000

async function handOver(folder, stack) {
  const file = join(folder, 'demo.json')
  const isOver = () => existsSync(file) || stack.exitCode !== null
  const complaint = () => `the stack did not start; see ${folder}/logs`
  await until(isOver, { within: READY_LIMIT, every: 200, complaint })
  if (!existsSync(file)) throw new Error(complaint())
  const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))
  return { ...JSON.parse(readFileSync(file, 'utf8')), secrets }
}

/** URL of a service's database with the role that owns its tables, so that a benchmark can add rows. */
export function asOwner(url, { databases }) {
  const owner = new URL(url)
  owner.username = owner.pathname.slice(1)
  owner.password = databases[owner.username]
  return owner.href
}

/** Runs `work` with the hand-over file of a fresh stack, and a function that reads it again. */
export async function withOwnStack(work) {
  const folder = mkdtempSync(join(tmpdir(), 'connectivity-own-'))
  const env = { ...process.env, STATE_DIR: folder, LOG_LEVEL: 'info', KAFKA_JVM_OPTIONS: '' }
  const stack = spawn(process.execPath, ['deploy/local/start.mjs'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(stack, 'exit')
  try {
    return await work(await handOver(folder, stack), () => JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')))
  } finally {
    stack.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}
