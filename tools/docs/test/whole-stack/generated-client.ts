import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { document, type System } from './system.js'

/** Folder inside the repository, so that packages resolve, but not linted, searched or committed. */
const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/', import.meta.url))
const TSC = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url))

/** A partner's program around a generated client; it compiles only if the types are as expected. */
const PROGRAM = `
import createClient from 'openapi-fetch'
import type { components, paths } from './partner-api.js'

type Reservation = components['schemas']['Reservation']

export async function pull(origin: string, client_id: string, client_secret: string) {
  const client = createClient<paths>({ baseUrl: origin + '/api/connectivity/v1' })
  const { data: token } = await client.POST('/oauth/token', {
    body: { grant_type: 'client_credentials', client_id, client_secret },
  })
  if (!token) throw new Error('no token')
  client.use({ onRequest: ({ request }) => request.headers.set('authorization', 'Bearer ' + token.access_token) })
  const { data: list } = await client.GET('/properties')
  const property_id: string = list!.properties[0]!.property_id
  const reservations: Reservation[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { property_id, limit: 50, ...(cursor ? { cursor } : {}) }
    const { data: page, error } = await client.GET('/reservations', { params: { query } })
    if (!page) throw new Error(error.error.code)
    reservations.push(...page.reservations)
    cursor = page.pagination.next_cursor
  }
  const { error, response } = await client.GET('/reservations', { params: { query: { property_id: 'con_other' } } })
  return { property_id, reservations, refusal: error?.error.code, status: response.status }
}
`

interface Pulled {
  property_id: string
  reservations: { reservation_id: string }[]
  refusal: string
  status: number
}

interface GeneratedClient {
  /** Errors of the compiler about the program. */
  faults: string[]
  pull: (origin: string, clientId: string, clientSecret: string) => Promise<Pulled>
}

/** Generates types from the description, compiles a program that uses them, and loads it. */
async function generatedClient(description: object): Promise<GeneratedClient> {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'generated-client-'))
  try {
    writeFileSync(join(folder, 'partner-api.ts'), astToString(await openapiTS(description as never)))
    writeFileSync(join(folder, 'program.ts'), PROGRAM)
    const faults = await faultsOf(join(folder, 'program.ts'))
    const { outputText } = ts.transpileModule(PROGRAM, { compilerOptions: { target: ts.ScriptTarget.ES2022 } })
    writeFileSync(join(folder, 'program.mjs'), outputText)
    const { pull } = (await import(pathToFileURL(join(folder, 'program.mjs')).href)) as GeneratedClient
    return { faults, pull }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs the compiler in another process: here it would block the event loop and the collector of traces. */
async function faultsOf(file: string): Promise<string[]> {
  const kind = ['--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext', '--types', 'node']
  const args = [TSC, '--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', ...kind, file]
  try {
    await promisify(execFile)(process.execPath, args)
    return []
  } catch (error) {
    return (error as { stdout: string }).stdout.trim().split('\n')
  }
}

/** Generates a client from the description and uses it. */
export function describeGeneratedClient(system: () => System): void {
  describe('a generated client', () => {
    it('compiles and pulls', async () => {
      const { stack } = system()
      const { faults, pull } = await generatedClient(document)
      expect(faults).toEqual([])
      const { client_id, client_secret } = stack.connection.oauth
      const pulled = await pull(stack.demo.base_url, client_id, client_secret)
      expect(pulled).toMatchObject({
        property_id: stack.connection.property_id,
        refusal: 'property_forbidden',
        status: 403,
      })
      expect(pulled.reservations.length).toBeGreaterThan(100)
    }, 60_000)
  })
}
