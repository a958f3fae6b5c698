import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../deploy/local/bootstrap/config.mjs'

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

/** Tools that start servers or download programs. */
const tools = Object.keys(scripts).filter((name) => scripts[name]!.includes(' --parts ') && name !== 'bench')

describe('a tool', () => {
  /** Runs a script of package.json, but without its parts. */
  function run(name: string, ...options: string[]) {
    const [, ...args] = scripts[name]!.replace(' --parts ', ' ').split(' ')
    const env = { ...process.env, NODE_OPTIONS: '' }
    return spawnSync(process.execPath, [...args, ...options], { cwd: root, env, encoding: 'utf8', timeout: 60_000 })
  }

  it.each(tools)('%s prints its usage', (name) => {
    expect(run(name, '--help')).toMatchObject({ status: 0, stdout: expect.stringContaining(`npm run ${name}`) })
  })

  it('screenshots refuses a page that it does not know', () => {
    const { status, stderr } = run('screenshots', 'portal-mapings', 'console-audit')
    expect(status).toBe(1)
    expect(stderr).toMatch(/No page is named portal-mapings\. The pages: portal-sign-in, .*portal-mappings, /)
  })
})
