// A stack for one program: npm start in a temporary folder, ended and removed with the program's work.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environmentWith, root } from './config.ts'
import type { HandOver } from './hand-over.ts'
import { until } from './until.ts'

/** Secrets of a stack, as far as programs use them. */
interface Secrets {
  /** Password of PostgreSQL's administrator. */
  postgres: string
  /** Password of each database's owner, by the database's name. */
  databases: Record<string, string>
}

/** The hand-over file of a program's own stack, with its secrets. */
export interface OwnStack extends HandOver {
  secrets: Secrets
  /** Folder with a log of each process. */
  logs: string
}

const READY_LIMIT = 180_000
/** Signals that end the program, whose stack ends first. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Exit code of a program that a signal has ended. */
const STOPPED = 130

const readHandOver = (file: string): HandOver => JSON.parse(readFileSync(file, 'utf8')) as HandOver

async function handOver(folder: string, stack: ChildProcess): Promise<OwnStack> {
  const file = join(folder, 'demo.json')
  const isOver = () => existsSync(file) || stack.exitCode !== null
  const complaint = () => `the stack did not start; see ${folder}/logs`
  await until(isOver, { within: READY_LIMIT, every: 200, complaint })
  if (!existsSync(file)) throw new Error(complaint())
  const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as Secrets
  return { ...readHandOver(file), secrets, logs: join(folder, 'logs') }
}

function asRole(url: string, role: string, password: string): string {
  const other = new URL(url)
  other.username = role
  other.password = password
  return other.href
}

/** URL of a service's database with the role that owns its tables, so that a benchmark can add rows. */
export function asOwner(url: string, { databases }: Secrets): string {
  const owner = new URL(url).pathname.slice(1)
  return asRole(url, owner, databases[owner]!)
}

/** URL of a service's database with the role of PostgreSQL's administrator. */
export const asAdministrator = (url: string, { postgres }: Secrets): string => asRole(url, 'postgres', postgres)

/**
 * Runs `work` with the hand-over file of a fresh stack, and a function that reads it again.
 * @param more environment variables of the stack's processes
 */
export async function withOwnStack<T>(
  work: (demo: OwnStack, again: () => HandOver) => T | Promise<T>,
  more: Readonly<Record<string, string>> = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'connectivity-own-'))
  const env = environmentWith({ STATE_DIR: folder, LOG_LEVEL: 'info', KAFKA_JVM_OPTIONS: '', ...more })
  const stack = spawn(process.execPath, ['deploy/local/start.mjs'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(stack, 'exit')
  let ending: Promise<void> | undefined
  const end = () => (ending ??= endAndReset())
  const endAndReset = async () => {
    stack.kill('SIGTERM')
    await ended
    // PostgreSQL's data may lie in another folder, which `npm run reset` knows.
    spawnSync(process.execPath, ['deploy/local/reset.ts'], { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  const stop = () => void end().then(() => process.exit(STOPPED))
  for (const signal of STOP_SIGNALS) process.once(signal, stop)
  try {
    return await work(await handOver(folder, stack), () => readHandOver(join(folder, 'demo.json')))
  } finally {
    await end()
    for (const signal of STOP_SIGNALS) process.off(signal, stop)
  }
}
