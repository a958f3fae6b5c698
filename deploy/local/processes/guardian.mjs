// Runs beside the launcher and waits for its end, which it notices as the end of the pipe between them. Whatever way
// the launcher died, the guardian ends what the pid file still names; after a clean stop there is none left.
// node guardian.mjs <pid file> [folder or file to remove]...
import { rmSync } from 'node:fs'
import { end } from './end.mjs'
import { readPidFile } from './pid-file.mjs'

const [pidFile, ...leftovers] = process.argv.slice(2)

// A signal meant for the whole terminal or session must not end the one that cleans up after it.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {})

process.stdin.resume()
process.stdin.once('end', async () => {
  await end(readPidFile(pidFile).filter((entry) => entry.pid !== process.pid))
  for (const path of [pidFile, ...leftovers]) rmSync(path, { recursive: true, force: true })
  process.exit(0)
})
