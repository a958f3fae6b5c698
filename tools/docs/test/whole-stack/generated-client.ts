import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { guidesFolder } from '../../src/files.js'
import { blocksOf } from '../programs.js'
import { document, type System } from './system.js'

/** Folder inside the repository, so that packages resolve, but not linted, searched or committed. */
const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/', import.meta.url))
const TSC = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url))

const [CLIENT] = blocksOf(readFileSync(join(guidesFolder, 'clients.md'), 'utf8'), 'ts')

/** Continues the program of the guide; it compiles only if the types are as expected. */
const PROGRAM = `${CLIENT!}
import type { components } from './partner-api.js'

type CodeOf403 = components['schemas']['ErrorInfo403']['code']

export async function callAll(origin: string, keyId: string, secret: string, property_id: string) {
  const client = partnerClient(origin, keyId, secret)
  const reservations: components['schemas']['Reservation'][] = await pull(client, property_id)
  const { data: catalog } = await client.GET('/catalog/rooms', { params: { query: { property_id } } })
  const { data: written } = await close(client, property_id, catalog!.rooms[0]!.service_id)
  const { error, response } = await client.GET('/reservations', { params: { query: { property_id: 'con_other' } } })
  const code: CodeOf403 | undefined = error?.error.code as CodeOf403 | undefined
  return { reservations, updates: written!.updates, refusal: code, status: response.status }
}
`

interface Pulled {
  updates: number
  reservations: { reservation_id: string }[]
  refusal: string
  status: number
}

interface GeneratedClient {
  /** Errors of the compiler about the program. */
  faults: string[]
  callAll: (origin: string, keyId: string, secret: string, connectionId: string) => Promise<Pulled>
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
    const { callAll } = (await import(pathToFileURL(join(folder, 'program.mjs')).href)) as GeneratedClient
    return { faults, callAll }
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
    it('compiles, pulls and writes with signed requests', async () => {
      const { stack } = system()
      const { faults, callAll } = await generatedClient(document)
      expect(faults).toEqual([])
      const { property_id, signing } = stack.connection
      const pulled = await callAll(stack.demo.base_url, signing.key_id, signing.signing_secret, property_id)
      expect(pulled).toMatchObject({ updates: 1, refusal: 'property_forbidden', status: 403 })
      expect(pulled.reservations.length).toBeGreaterThan(100)
    })
  })
}
