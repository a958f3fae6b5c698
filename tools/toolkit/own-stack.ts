// A stack for one program, ended and removed with the program's work.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HandOver } from './hand-over.ts'
import { StackProcess } from './stack-process.ts'

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

/** Longest time until the stack is ready, ms: it may build the services first. */
const READY_LIMIT = 180_000
/** Signals that end the program, whose stack ends first. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Exit code of a program that a signal has ended. */
const STOPPED = 130

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

function ownStackOf({ demo, folder, logs }: StackProcess): OwnStack {
  const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as Secrets
  return { ...demo, secrets, logs }
}

/**
 * Runs `work` with the hand-over file of a fresh stack, and a function that reads it again.
 * @param more environment variables of the stack's processes
 */
export async function withOwnStack<T>(
  work: (demo: OwnStack, again: () => HandOver) => T | Promise<T>,
  more: Readonly<Record<string, string>> = {},
): Promise<T> {
  const stack = new StackProcess({ LOG_LEVEL: 'info', KAFKA_JVM_OPTIONS: '', ...more })
  let ending: Promise<void> | undefined
  const end = () => (ending ??= stack.end())
  const stop = () => void end().then(() => process.exit(STOPPED))
  for (const signal of STOP_SIGNALS) process.once(signal, stop)
  try {
    await stack.untilReady(READY_LIMIT)
    return await work(ownStackOf(stack), () => stack.demo)
  } finally {
    await end()
    for (const signal of STOP_SIGNALS) process.off(signal, stop)
  }
}
