import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ListedRoom, RoomList } from '@connectivity/contracts/catalog-lists'
import { guidesFolder } from '../../src/files.js'
import { blocksOf, has, output } from '../programs.js'
import type { System } from './system.js'

const guide = (name: string): string => readFileSync(join(guidesFolder, `${name}.md`), 'utf8')

/** Runs the programs of the guide to signing. */
export function describeSigningGuide(system: () => System): void {
  describe('the programs of the guide to signing', () => {
    const programs: [string, string, string, string[]][] = [
      ['js', 'first-page.mjs', process.execPath, []],
      ['python', 'first_page.py', 'python3', []],
      ['php', 'first-page.php', 'php', []],
      ['csharp', 'FirstPage.cs', 'dotnet', ['run']],
      ['java', 'FirstPage.java', 'java', ['-XX:TieredStopAtLevel=1']],
    ]

    it.each(programs.filter(([, , runtime]) => has(runtime)))(
      'print status and body in %s, of a page and of a refusal',
      async (language, name, runtime, args) => {
        const { stack } = system()
        const [code] = blocksOf(guide('signing'), language)
        writeFileSync(stack.file(name), code!)
        const text = await output(runtime, [...args, stack.file(name)], stack.partnerEnvironment)
        expect(text).toMatch(/^200 \{"schema_version":"1\.0\.0",/)
        const page = JSON.parse(text.slice('200 '.length)) as { reservations: unknown[] }
        expect(page.reservations).toHaveLength(5)
        const refused = { ...stack.partnerEnvironment, SIGNING_SECRET: 'wrong' }
        expect(await output(runtime, [...args, stack.file(name)], refused)).toMatch(
          /^401 \{"schema_version":.*"error":/,
        )
      },
      60_000,
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
      const { json } = await partner.call('GET', `/catalog/rooms?property_id=${stack.connection.property_id}`)
      const [{ service_id: ROOM_ID }] = (json as RoomList).rooms as [ListedRoom]
      const answers = (
        await output('bash', [stack.file('quick-start.sh')], { ...stack.partnerEnvironment, ROOM_ID })
      ).split('\n')
      const bodies = answers.filter((line) => line !== '')
      for (const body of bodies) expect(body).toMatch(/^\{"schema_version":"1\.0\.0",(?!"error")/)
      expect(bodies).toHaveLength(11)
      expect(bodies.filter((body) => body.includes('"cells_written":1'))).toHaveLength(1)
    }, 60_000)
  })
}
