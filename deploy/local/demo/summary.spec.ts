import { readFileSync } from 'node:fs'
import { firstRequest } from './summary.ts'

it('the first signed request that npm start prints is the one of the README', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  expect(readme).toContain(firstRequest.replace(/^DEMO=.*$/m, 'DEMO=deploy/local/.state/demo.json'))
})
