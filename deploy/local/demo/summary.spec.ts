import { readFileSync } from 'node:fs'
import { requestsWith } from './summary.ts'

it('the signed requests that npm start prints are those of the README', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  expect(readme).toContain(requestsWith('${STATE_DIR:-deploy/local/.state}/demo.json'))
})
