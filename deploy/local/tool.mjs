#!/usr/bin/env node
// node deploy/local/tool.mjs [--parts] <file> [options]: runs a tool of this repository, on a bare clone too. Installs
// missing packages and builds the libraries that tools import; --parts also fetches PostgreSQL, Redis and Kafka.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { downloads, root } from './bootstrap/config.mjs'
import { alone } from './bootstrap/install/install-lock.mjs'
import { step } from './bootstrap/machine/progress.mjs'
import { ready } from './bootstrap/install/ready.mjs'
import { run } from './bootstrap/machine/run.mjs'
import { runAgain } from './bootstrap/install/own-node.mjs'

const [needsParts, ...more] =
  process.argv[2] === '--parts' ? [true, ...process.argv.slice(3)] : [false, ...process.argv.slice(2)]
const [file, ...options] = more

const libraries = join(root, 'libs')
const exportsBuilt = (name) => readFileSync(join(libraries, name, 'package.json'), 'utf8').includes('/dist/')

/** True when every library has been built; a stack that a tool starts builds what has changed since. */
const isBuilt = () =>
  readdirSync(libraries).every((name) => !exportsBuilt(name) || existsSync(join(libraries, name, 'dist')))

async function buildLibraries() {
  const { runTargets } = await import('./services/build.ts')
  await step('libraries built', () => alone(() => runTargets(['build'], { logDir: downloads })))
}

await run(async () => {
  if (!(await ready({ parts: needsParts }))) return runAgain()
  if (!isBuilt()) await buildLibraries()
  process.argv.splice(1, process.argv.length, resolve(file), ...options)
  await import(pathToFileURL(process.argv[1]).href)
  return process.exitCode
})
