// A second PostgreSQL beside the first, restored from the archive to a moment.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnIntoLog } from '../../deploy/local/bootstrap/processes/child.mjs'
import { freePort } from '../../deploy/local/machine/ports.ts'
import { until } from '@connectivity/toolkit/until'
import { withClient } from '../../deploy/local/parts/databases.ts'
import { placePostgres } from '../../deploy/local/parts/postgres-place.ts'
import type { FaultStack } from '../faults/stack/fault-stack.ts'
import type { Archive } from './archive.ts'

const RESTORED_WITHIN = 120_000

/** Server to restore, and the moment to restore it to. */
export interface Wanted {
  /** Name of the server in the archive. */
  server: string
  /** Point in time, in PostgreSQL's format. */
  moment: string
}

/** True when the server has ended its recovery and takes writes. */
const isPromoted = (adminUrl: string): Promise<boolean> =>
  withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ recovering: boolean }>('SELECT pg_is_in_recovery() AS recovering')
    return rows[0]!.recovering === false
  }).catch(() => false)

/** Restores a server under a new name; resolves with its port when it takes writes. */
export async function restoredServer(stack: FaultStack, archive: Archive, { server, moment }: Wanted): Promise<number> {
  const { account, bin, data } = placePostgres(stack.dir)
  const folder = `${data}-restored`
  mkdirSync(folder, { mode: 0o700 })
  await archive.restore(server, folder)
  writeFileSync(join(folder, 'recovery.signal'), '')
  if (account.uid !== undefined) spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, folder])
  const port = await freePort()
  const settings = {
    ...{ port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '300' },
    ...{ timezone: 'UTC', jit: 'off' },
    restore_command: archive.restoreCommand(server),
    recovery_target_time: moment,
    recovery_target_action: 'promote',
    archive_command: archive.archiveCommand(`${server}-restored`),
  }
  const args = ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const log = join(stack.logDir, 'postgres-restored.log')
  stack.track(spawnIntoLog({ file: join(bin, 'postgres'), args, cwd: '/', account }, log, 'a'))
  const url = new URL(stack.adminUrl)
  url.port = String(port)
  const complaint = () => `the restored server does not take writes: see ${log}`
  await until(() => isPromoted(url.href), { within: RESTORED_WITHIN, every: 200, complaint })
  return port
}
