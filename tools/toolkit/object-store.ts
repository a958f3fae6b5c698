// An object store for backups, which keeps everything in memory and checks no access.
import { type ChildProcess, spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { until } from './until.ts'
import { goProgram } from './go-programs.ts'

const READY_WITHIN = 10_000

/** Settings of an object store. */
interface ObjectStore {
  /** Host and port that it listens on. */
  host: string
  bucket: string
  logFile: string
  /** Called with its process. */
  track: (child: ChildProcess) => void
}

/** Starts an object store with a bucket. @returns its address */
export async function startObjectStore({ host, bucket, logFile, track }: ObjectStore): Promise<string> {
  const log = openSync(logFile, 'a')
  const args = ['-backend', 'memory', '-host', host, '-initialbucket', bucket, '-quiet']
  track(spawn(await goProgram('gofakes3'), args, { stdio: ['ignore', log, log] }))
  const address = `http://${host}`
  const answers = () => fetch(address).then(({ ok }) => ok, () => false) // prettier-ignore
  await until(answers, { within: READY_WITHIN, every: 100, complaint: () => 'the object store does not answer' })
  return address
}
