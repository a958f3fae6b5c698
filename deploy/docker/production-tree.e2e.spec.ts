import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { writeTree } from './production-tree.ts'
import { names } from './service-facts.ts'

const root = join(import.meta.dirname, '../..')

interface ComposeFile {
  services: { demo: { build: { target: string; args: { APP: string } }; volumes: string[] } }
}

/** Links files instead of copying thousands; programs run with --preserve-symlinks. */
function linkPackage(from: string, into: string) {
  if (relative(root, from).split('node_modules').length > 2) return // part of a package that is linked
  mkdirSync(dirname(into), { recursive: true })
  symlinkSync(from, into)
}

interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** Runs a program in a tree without any setting. */
async function endOf(tree: string, ...program: string[]): Promise<Ended> {
  const args = ['--preserve-symlinks', '--preserve-symlinks-main', ...program]
  return promisify(execFile)(process.execPath, args, { cwd: tree, env: {} }).then(
    (texts) => ({ code: 0, ...texts }),
    (error) => error as Ended,
  )
}

describe.each(names)('the image of %s', (name) => {
  let tree: string
  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), `production-tree-${name}-`))
    writeTree(name, { packages: tree, code: tree }, linkPackage)
  })
  afterAll(() => rmSync(tree, { recursive: true }))

  it('loads all of its code from the tree and names the settings it lacks', async () => {
    const programs = ['app/dist/main.js', 'app/dist/migrate.js', 'libs/kafka/dist/create-topics.main.js']
    const [main, migrate, topics] = await Promise.all(programs.map((file) => endOf(tree, file)))
    const lacking = (key: string) => ({ code: 1, stderr: expect.stringMatching(`configuration: .*${key} is required`) })
    expect(main).toMatchObject(lacking('DATABASE_URL'))
    expect(migrate).toMatchObject(lacking('DATABASE_URL'))
    expect(topics).toMatchObject(lacking('KAFKA_BROKERS'))
  })
})

describe('the image of the demo', () => {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const { demo } = (parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 }) as ComposeFile).services

  it("runs the operators' commands, whose code is mounted", async () => {
    const tree = mkdtempSync(join(tmpdir(), 'production-tree-demo-'))
    writeTree(demo.build.args.APP, { packages: tree, code: tree }, linkPackage)
    const stage = read('deploy/docker/Dockerfile')
      .split(/^FROM /m)
      .find((text) => text.includes(` AS ${demo.build.target}\n`))!
    for (const [, path = ''] of stage.matchAll(/^COPY --from=build \/repository\/(\S+) /gm))
      linkPackage(join(root, path), join(tree, path))
    for (const [, path = ''] of demo.volumes.join('\n').matchAll(/^\.\/(\S+):\/srv\/\1:ro$/gm))
      linkPackage(join(root, path), join(tree, path))
    const help = await endOf(tree, 'tools/ops/ops.ts', '--help')
    rmSync(tree, { recursive: true })
    expect(help).toEqual({ code: 0, stdout: expect.stringContaining('Usage: npm run ops --'), stderr: '' })
  })
})
