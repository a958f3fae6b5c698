import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { quoted, requestsWith } from './summary.ts'

it('the signed requests that npm start prints are those of the README', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  expect(readme).toContain(requestsWith('${STATE_DIR:-deploy/local/.state}/demo.json'))
})

it.each(['/state/demo.json', '/my state/demo.json', "/ada's $HOME/`x`.json"])('%s is one word of the shell', (path) => {
  expect(execFileSync('bash', ['-c', `printf %s ${quoted(path)}`]).toString()).toBe(path)
})
