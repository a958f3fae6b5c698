// Runs beside the launcher and notices its end by the end of the pipe between them. However the launcher ended, the
// guardian ends the processes that the pid file still names; after a clean stop there are none.
// node guardian.mjs <pid file> [folder or file to remove]...
import { rmSync } from 'node:fs'
import { end } from './end.mjs'
import { readPidFile } from './pid-file.mjs'

const [pidFile, ...leftovers] = process.argv.slice(2)

// A signal to the whole terminal or session must not end the process that cleans up after it.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {})

process.stdin.resume()
process.stdin.once('end', async () => {
  await end(readPidFile(pidFile).filter((entry) => entry.pid !== process.pid))
  for (const path of [pidFile, ...leftovers]) rmSync(path, { recursive: true, force: true })
  process.exit(0)
})
