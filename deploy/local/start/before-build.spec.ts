import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importsOf } from '@connectivity/toolkit/imports'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Programs that run on a fresh clone before anything is built. */
const ENTRIES = [
  'deploy/local/start.mjs',
  'deploy/local/start/run-stack.ts',
  'deploy/local/test.mjs',
  'tools/test/main.ts',
  'deploy/local/tool.mjs',
  'deploy/local/services/build.ts',
  'deploy/local/reset.ts',
  'deploy/local/demo-book.ts',
  'deploy/local/demo-watch.ts',
]

const TOOLKIT = '@connectivity/toolkit/'

function fileOf(name: string, from: string): string | null {
  if (name.startsWith('.')) return resolve(dirname(from), name)
  return name.startsWith(TOOLKIT) ? join(root, 'tools/toolkit', `${name.slice(TOOLKIT.length)}.ts`) : null
}

/** Imports of built libraries that loading the file causes, as `importing file: module`. */
function builtImports(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  return importsOf(file).flatMap((name) => {
    const next = fileOf(name, file)
    if (next !== null) return builtImports(next, seen)
    return name.startsWith('@connectivity/') ? [`${relative(root, file)}: ${name}`] : []
  })
}

describe('before the build of a fresh clone', () => {
  it.each(ENTRIES)('%s loads no built library', (entry) => {
    const file = join(root, entry)
    expect(existsSync(file)).toBe(true)
    expect(builtImports(file)).toEqual([])
  })

  it('imports of built libraries are found at any depth', () => {
    expect(builtImports(join(root, 'deploy/local/demo-portal.ts'))).toContain(
      'tools/toolkit/operators-api.ts: @connectivity/contracts/rate-limits',
    )
  })
})
