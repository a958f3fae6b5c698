import { readFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'

it('the types of the interface are those of its description; `npm run describe` rewrites them', async () => {
  const types = astToString(await openapiTS(readFileSync('docs/openapi.json', 'utf8')))
  expect(readFileSync('apps/portal/src/api/description.ts', 'utf8')).toContain(types.trim())
})
