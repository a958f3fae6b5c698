import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ListedRoom, RoomList } from '@connectivity/contracts/catalog-lists'
import { guidesFolder } from '../../src/files.js'
import { type SampledCall, sampleLanguages } from '../../src/site/call-samples.js'
import { blocksOf, output } from '../programs.js'
import { FIRST_PAGE, programOf } from '../samples/call-programs.js'
import { dotnetEnvironment, runnable, runtimes } from '../samples/runtimes.js'
import type { System } from './system.js'

const guide = (name: string): string => readFileSync(join(guidesFolder, `${name}.md`), 'utf8')

/** Runs a program of a guide. @returns its output */
async function printed(
  { stack }: System,
  language: string,
  code: string,
  secrets: Record<string, string> = {},
): Promise<string> {
  const { program, file, args } = runtimes[language]!
  const source = stack.file(file)
  writeFileSync(source, code)
  const env = { ...dotnetEnvironment(dirname(source)), ...stack.partnerEnvironment, ...secrets }
  return output(program, args(source), env)
}

/** Runs the programs of the guide to signing. */
export function describeSigningGuide(system: () => System): void {
  describe('the programs of the guide to signing', () => {
    it.each(runnable)('print status and body in %s, of a page and of a refusal', async (language) => {
      const [code] = blocksOf(guide('signing'), language)
      const text = await printed(system(), language, code!)
      expect(text).toMatch(/^200 \{"schema_version":"1\.0\.0",/)
      const page = JSON.parse(text.slice('200 '.length)) as { reservations: unknown[] }
      expect(page.reservations).toHaveLength(5)
      const refused = await printed(system(), language, code!, { SIGNING_SECRET: 'wrong' })
      expect(refused).toMatch(/^401 \{"schema_version":.*"error":/)
    })
  })
}

const CHANGE: SampledCall = {
  ...FIRST_PAGE,
  method: 'POST',
  path: '/reservations/ack',
  query: '',
  contentType: 'application/json',
}

/** Calls of the reference whose samples are run: a body, a path with the property, text that quoting could break. */
const CALLS: [title: string, call: SampledCall, status: number][] = [
  ['a call of the property in the path', { ...FIRST_PAGE, path: '/properties/$PROPERTY_ID/mappings', query: '' }, 200],
  ['a call without parameters', { ...FIRST_PAGE, path: '/auth/health', query: '' }, 200],
  [
    'a change with a body',
    { ...CHANGE, body: '{\n  "property_id": "OWN",\n  "said": "LANGUAGE O\'Neill\\\\ \\"ë\\" $5 `x`"\n}' },
    400,
  ],
  ['a change without a body', { ...CHANGE, method: 'DELETE', path: '/properties/$PROPERTY_ID-LANGUAGE/callback' }, 403],
]

/** Runs samples of the reference, which continue the programs of the guide to signing. */
export function describeCallSamples(system: () => System): void {
  describe('the samples of the reference', () => {
    const run = sampleLanguages.filter(({ name }) => runnable.includes(name))

    it.each(run.map((language) => [language.title, language] as const))(
      'make their calls in %s',
      async (_title, language) => {
        const { stack } = system()
        for (const [title, call, status] of CALLS) {
          // Equal changes within a second would have equal signatures.
          const path = call.path.replace('LANGUAGE', language.name)
          const own = call.body?.replace('OWN', stack.connection.property_id)
          const body = own?.replace('LANGUAGE', language.name) ?? null
          const text = await printed(system(), language.name, programOf(language, { ...call, path, body }))
          expect([title, text]).toEqual([title, expect.stringMatching(new RegExp(`^${status} \\{"schema_version"`))])
          if (call.body) expect(text).toContain('unknown_field')
        }
      },
      90_000,
    )
  })
}

/** Runs the commands of the quick start. */
export function describeQuickStart(system: () => System): void {
  describe('the quick start', () => {
    it('works as written, command by command', async () => {
      const { stack, partner } = system()
      const next = `$(signed GET "/reservations?property_id=$PROPERTY_ID&limit=1" | sed 's/.*"next_cursor":"\\([^"]*\\)".*/\\1/')`
      const commands = blocksOf(guide('quick-start'), 'sh')
        .map((block) => block.replace(/^export .*…\S*.*\n/gm, '').replace('cursor=…', `cursor=${next}`))
        .filter((block) => block !== '')
      const [token, ...withToken] = commands.at(-1)!.trim().split('\n')
      const script = [
        ...commands.slice(0, -1),
        token!,
        `ACCESS_TOKEN=$(${token!} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
        ...withToken,
      ]
      writeFileSync(stack.file('quick-start.sh'), ['set -eu', ...script].join('\necho\n'))
      const { body } = await partner.call('GET', `/catalog/rooms?property_id=${stack.connection.property_id}`)
      const [{ service_id: ROOM_ID }] = (body as RoomList).rooms as [ListedRoom]
      const answers = (
        await output('bash', [stack.file('quick-start.sh')], { ...stack.partnerEnvironment, ROOM_ID })
      ).split('\n')
      const bodies = answers.filter((line) => line !== '')
      for (const body of bodies) expect(body).toMatch(/^\{"schema_version":"1\.0\.0",(?!"error")/)
      expect(bodies).toHaveLength(11)
      expect(bodies.filter((body) => body.includes('"cells_written":1'))).toHaveLength(1)
    })
  })
}
