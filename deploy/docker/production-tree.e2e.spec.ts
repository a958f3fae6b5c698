import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { writeTree } from './production-tree.ts'
import { names } from './service-facts.ts'

const root = join(import.meta.dirname, '../..')

/** Links files instead of copying thousands; programs run with --preserve-symlinks. */
function linkPackage(from: string, into: string) {
  if (relative(root, from).split('node_modules').length > 2) return // part of a package that is linked
  mkdirSync(dirname(into), { recursive: true })
  symlinkSync(from, into)
}

describe.each(names)('the image of %s', (name) => {
  let tree: string
  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), `production-tree-${name}-`))
    writeTree(name, { packages: tree, code: tree }, linkPackage)
  })
  afterAll(() => rmSync(tree, { recursive: true }))

  /** Error of a program that is started in the tree without any setting. */
  const failureOf = async (file: string): Promise<{ code: number; stderr: string }> => {
    const args = ['--preserve-symlinks', '--preserve-symlinks-main', file]
    return promisify(execFile)(process.execPath, args, { cwd: tree, env: {} }).then(
      ({ stderr }) => ({ code: 0, stderr }),
      (error) => error as { code: number; stderr: string },
    )
  }

  it('loads all of its code from the tree and names the settings it lacks', async () => {
    const programs = ['app/dist/main.js', 'app/dist/migrate.js', 'libs/kafka/dist/create-topics.main.js']
    const [main, migrate, topics] = await Promise.all(programs.map(failureOf))
    const lacking = (key: string) => ({ code: 1, stderr: expect.stringMatching(`configuration: .*${key} is required`) })
    expect(main).toMatchObject(lacking('DATABASE_URL'))
    expect(migrate).toMatchObject(lacking('DATABASE_URL'))
    expect(topics).toMatchObject(lacking('KAFKA_BROKERS'))
  })
})
