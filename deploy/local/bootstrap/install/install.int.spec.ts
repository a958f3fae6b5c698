import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const bootstrap = fileURLToPath(new URL('..', import.meta.url))

describe('an installation of a bare clone', () => {
  let clone: string
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    writeFileSync(join(clone, file), text)
  }
  beforeEach(() => {
    clone = realpathSync(mkdtempSync(join(tmpdir(), 'launcher-spec-')))
    cpSync(bootstrap, join(clone, 'deploy/local/bootstrap'), { recursive: true })
    for (const name of ['node', 'builder', 'binaries']) {
      write(`parts/${name}/package.json`, JSON.stringify({ name, version: '1.0.0' }))
    }
    write('parts/node/bin/node', '')
    const dependencies = { node: 'file:parts/node' }
    const devDependencies = { builder: 'file:parts/builder' }
    const optionalDependencies = { binaries: 'file:parts/binaries' }
    write('package.json', JSON.stringify({ type: 'module', dependencies, devDependencies, optionalDependencies }))
  })
  afterEach(() => rmSync(clone, { recursive: true, force: true }))

  it.each([{ NODE_ENV: 'production' }, { npm_config_omit: 'dev' }, { npm_config_omit: 'optional' }])(
    'has all packages with %j',
    (env) => {
      const script = `
        import { installPackages } from './deploy/local/bootstrap/install/install.mjs'
        await installPackages({ logDir: 'logs' })`
      const node = ['--input-type=module', '-e', script]
      const { status, stderr } = spawnSync(process.execPath, node, {
        cwd: clone,
        env: { ...process.env, ...env },
        encoding: 'utf8',
      })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      const present = ['node', 'builder', 'binaries'].filter((name) => existsSync(join(clone, 'node_modules', name)))
      expect(present).toEqual(['node', 'builder', 'binaries'])
    },
  )
})
