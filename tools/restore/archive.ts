// Backups and a continuous archive in an object store, by the programs that CloudNativePG's Barman Cloud plugin runs.
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { barmanFolder } from '@connectivity/toolkit/config'
import { startObjectStore } from '@connectivity/toolkit/object-store'
import { command } from '../../deploy/local/bootstrap/processes/command.mjs'
import { Refusal } from '../../deploy/local/bootstrap/machine/refusal.mjs'
import { freePort } from '../../deploy/local/machine/ports.ts'
import { type Account, placePostgres } from '../../deploy/local/parts/postgres-place.ts'
import type { FaultStack } from '../faults/stack/fault-stack.ts'

const BUCKET = 'backups'
/** Any key: the store checks none. */
const ACCESS = { AWS_ACCESS_KEY_ID: 'drill', AWS_SECRET_ACCESS_KEY: 'drill', AWS_DEFAULT_REGION: 'us-east-1' }

const programOf = (name: string): string => join(barmanFolder ?? '', name)

/** @throws Refusal when an account cannot run Barman's programs */
export function checkBarman(account: Account = {}): void {
  if (spawnSync(programOf('barman-cloud-wal-archive'), ['--version'], { cwd: '/', ...account }).status === 0) return
  throw new Refusal(
    'BARMAN_CLOUD must name a folder with Barman’s programs that every account can run, for example the one of a virtual environment with `pip install "barman[cloud]" psycopg2-binary`.',
  )
}

/** An object store with the archives of PostgreSQL servers, each under a name. */
export class Archive {
  readonly #stack: FaultStack
  readonly #address: string

  private constructor(stack: FaultStack, address: string) {
    this.#stack = stack
    this.#address = address
  }

  /** Starts the object store, which keeps everything in memory. */
  static async start(stack: FaultStack): Promise<Archive> {
    checkBarman(placePostgres(stack.dir).account)
    const host = `127.0.0.1:${await freePort()}`
    const logFile = join(stack.logDir, 'object-store.log')
    return new Archive(stack, await startObjectStore({ host, bucket: BUCKET, logFile, track: stack.track }))
  }

  /** Arguments of a program for the archive of a server. */
  #of(server: string): string[] {
    return ['--endpoint-url', this.#address, `s3://${BUCKET}`, server]
  }

  /** Program with the access to the store, as PostgreSQL's commands need it; returns its path. */
  #script(program: string, server: string): string {
    const file = join(this.#stack.dir, `${program}-${server}`)
    const access = Object.entries(ACCESS).map(([key, value]) => `${key}=${value}`)
    const line = ['exec env', ...access, programOf(program), ...this.#of(server), '"$@"']
    writeFileSync(file, `#!/bin/sh\n${line.join(' ')}\n`)
    chmodSync(file, 0o755)
    return file
  }

  /** PostgreSQL's `archive_command` under a server's name. */
  archiveCommand(server: string): string {
    return `${this.#script('barman-cloud-wal-archive', server)} %p`
  }

  /** PostgreSQL's `restore_command` from a server's archive. */
  restoreCommand(server: string): string {
    return `${this.#script('barman-cloud-wal-restore', server)} %f %p`
  }

  async #run(program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
    const log = join(this.#stack.logDir, `${program}.log`)
    return command(programOf(program), [...args], {
      ...{ log, env: { ...ACCESS, ...more }, cwd: '/' },
      onStart: this.#stack.track,
    })
  }

  /** Takes a base backup of a running server. */
  async backUp(server: string): Promise<void> {
    const { hostname, port, username, password } = new URL(this.#stack.adminUrl)
    const access = ['--host', hostname, '--port', port, '--user', username, '--dbname', 'postgres']
    const args = ['--immediate-checkpoint', ...access, ...this.#of(server)]
    await this.#run('barman-cloud-backup', args, { PGPASSWORD: password })
  }

  #onlyBackupOf(server: string): string {
    const list = spawnSync(programOf('barman-cloud-backup-list'), ['--format', 'json', ...this.#of(server)], {
      encoding: 'utf8',
      env: { ...ACCESS },
    })
    const { backups_list: backups } = JSON.parse(list.stdout) as { backups_list: { backup_id: string }[] }
    if (backups.length !== 1) throw new Error(`${backups.length} backups of ${server}`)
    return backups[0]!.backup_id
  }

  /** Puts a server's base backup into a folder. */
  async restore(server: string, folder: string): Promise<void> {
    await this.#run('barman-cloud-restore', [...this.#of(server), this.#onlyBackupOf(server), folder])
  }
}
