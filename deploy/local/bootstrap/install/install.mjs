// Installs the dependencies of a bare clone: node_modules (npm) and the jars and binaries of Kafka and Redis (Maven).
// Each is fetched only when it is missing or differs from the lock file and pom.xml.
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { downloads, here, root } from '../config.mjs'
import { command } from '../processes/command.mjs'
import { say, showingProgress, step } from '../machine/progress.mjs'
import { Refusal } from '../machine/refusal.mjs'
import { checkMaven, javaEnvironment } from '../machine/requirements.mjs'

const pom = join(here, 'pom.xml')
const stamp = join(downloads, 'pom.sha256')

/** The repository's own Node, an npm package: the machine's Node only has to run the installation. */
export const node = join(root, 'node_modules', 'node', 'bin', 'node')

const MB = 1_000_000

/** Size of what a process has downloaded and unpacked, where the system counts it (Linux). */
function progressOf(pid) {
  try {
    const [, bytes] = /^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))
    return `${Math.round(bytes / MB)} MB written so far`
  } catch {
    return 'at work'
  }
}

/** Runs a command that downloads, and shows how far it is. */
function download(title, file, args, { onStart, ...options }) {
  let pid
  const noting = (child) => {
    pid = child.pid
    onStart?.(child)
  }
  return showingProgress(
    () => `${title}: ${progressOf(pid)}`,
    () => command(file, args, { ...options, onStart: noting }),
  )
}

const packagesOf = (file) => JSON.parse(readFileSync(join(root, file), 'utf8')).packages

/**
 * True when the packages `present` are those of the lock file; packages for other platforms may be missing.
 * @param {Record<string, { version?: string, link?: boolean, optional?: boolean }>} locked
 * @param {Record<string, { version?: string }>} present
 */
export const isUpToDate = (locked, present) =>
  Object.entries(locked)
    .filter(([path, wanted]) => path.includes('node_modules/') && !wanted.link)
    .every(([path, wanted]) => (present[path] ? present[path].version === wanted.version : wanted.optional === true))

/** True when node_modules matches package-lock.json and has the repository's Node. */
export function isInstalled() {
  if (!existsSync(node) || !existsSync(join(root, 'node_modules', '.package-lock.json'))) return false
  return isUpToDate(packagesOf('package-lock.json'), packagesOf('node_modules/.package-lock.json'))
}

/**
 * Installs the packages of package-lock.json unless they are present. Does not use `npm ci`: it refuses a lock file
 * written where the registry lacks the packages of other platforms, and it empties node_modules under a stack that may
 * be running.
 */
export async function installPackages({ logDir, onStart }) {
  if (isInstalled()) return
  say('installing the npm packages of package-lock.json (the first time about 250 MB are downloaded)')
  // Everything, also where NODE_ENV or npm's configuration leaves packages out.
  const all = ['--include=dev', '--include=optional']
  const npm = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...all]
  const install = (...more) => download('npm', 'npm', [...npm, ...more], { log: join(logDir, 'npm.log'), onStart })
  // Twice as fast with npm's cache, which may lack the versions that the lock file names.
  const fromCache = install('--prefer-offline').catch((error) => {
    if (/ETARGET|notarget/.test(error.message)) return install()
    throw error
  })
  await step('npm packages installed', () => fromCache)
  if (existsSync(node)) return
  throw new Refusal(
    'npm did not run the install script of the package "node": allow it (npm config set ignore-scripts false) and delete node_modules.',
  )
}

const pomHash = () => createHash('sha256').update(readFileSync(pom)).digest('hex')

/** True when Kafka's jars and the Redis binaries are the ones pom.xml names. */
export const hasParts = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === pomHash()

/** Runs `mvn package` if needed. Downloads to a temporary folder, so that a partial download never counts. */
export async function fetchParts({ logDir, onStart }) {
  if (hasParts()) return
  checkMaven()
  say('downloading Apache Kafka and Redis with Maven (the first time about 55 MB)')
  const aside = join(downloads, `fetch-${process.pid}`)
  const maven = ['-B', '-q', '-Dstyle.color=never', '-f', pom, `-Dinto=${aside}`, 'package']
  try {
    const options = { env: javaEnvironment, log: join(logDir, 'mvn.log'), onStart }
    await step('Kafka and Redis fetched', () => download('Maven', 'mvn', maven, options))
    keep(aside)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

function keep(aside) {
  for (const part of ['kafka', 'redis']) {
    rmSync(join(downloads, part), { recursive: true, force: true })
    renameSync(join(aside, part), join(downloads, part))
  }
  for (const binary of readdirSync(join(downloads, 'redis'))) chmodSync(join(downloads, 'redis', binary), 0o755)
  mkdirSync(downloads, { recursive: true })
  writeFileSync(stamp, pomHash())
}
