// The object store of the backups: beside the cluster, in memory.
import { spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { goProgram } from '@connectivity/toolkit/go-programs'
import type { Stack } from '../../../local/bootstrap/processes/stack.mjs'
import { until } from '../../../local/machine/until.ts'
import { ADDRESS } from '../node/network.ts'

const HOST = `${ADDRESS}:9000`
const READY_WITHIN = 10_000

/** Address of the object store, for pods and programs beside the cluster. */
export const OBJECT_STORE = `http://${HOST}`

/** Starts the object store with a bucket. */
export async function startObjectStore(stack: Stack, bucket: string): Promise<void> {
  const log = openSync(join(stack.dir, 'object-store.log'), 'a')
  const args = ['-backend', 'memory', '-host', HOST, '-initialbucket', bucket, '-quiet']
  stack.track(spawn(await goProgram('gofakes3'), args, { stdio: ['ignore', log, log] }))
  const answers = () => fetch(OBJECT_STORE).then(({ ok }) => ok, () => false) // prettier-ignore
  await until(answers, { within: READY_WITHIN, every: 100, complaint: () => 'the object store does not answer' })
}
