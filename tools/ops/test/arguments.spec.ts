import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { connectionStates, environments } from '@connectivity/contracts/connection-events'
import { deadLetterStates } from '@connectivity/contracts/dead-letters'
import { services } from '@connectivity/contracts/identity'
import { credentialTypes, transitionTargets } from '@connectivity/contracts/operators-api'
import { limitClasses } from '@connectivity/contracts/rate-limits'
import { scopes } from '@connectivity/contracts/scopes'
import { type CommandLine, type HelpWanted, readArguments } from '../arguments.ts'
import { commands } from '../commands.ts'
import { flagsOf, parseOptions } from '../flags.ts'
import { helpText } from '../help.ts'
import { requestOf } from '../request.ts'

/** A command line that is carried out. */
function read(...argv: string[]): CommandLine {
  const asked = readArguments(argv)
  if (asked.help) throw new Error(`${argv.join(' ')} asks for help`)
  return asked
}
const sent = (...argv: string[]) => {
  const { command, values } = read(...argv)
  const { query, ...request } = requestOf(command, values)
  return { ...request, query: Object.fromEntries(query) }
}
const why = ['--reason', 'ticket 4711']

/** Splits a command line as a shell does; completes the ids of an example. */
const split = (line: string): string[] =>
  [...line.replaceAll('…', '1').matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)

describe('a command line', () => {
  it('becomes a call with path, body and reason', () => {
    expect(sent('credentials', 'create', 'con_1', '--type', 'oauth', '--scopes', 'ari:read,ari:write', ...why)).toEqual(
      {
        method: 'POST',
        path: '/connections/con_1/credentials',
        query: {},
        body: { type: 'oauth', scopes: ['ari:read', 'ari:write'], reason: 'ticket 4711' },
      },
    )
    expect(sent('applications', 'limits', '--id', 'app_1', '--feed=1200/120', '--ari', '1/1', ...why)).toMatchObject({
      method: 'PUT',
      path: '/applications/app_1/limits',
      body: { limits: { feed: { per_minute: 1_200, burst: 120 }, ari: { per_minute: 1, burst: 1 } } },
    })
    const contact = ['--contact-name', 'Ada', '--contact-email', 'a@b.c']
    expect(sent('applications', 'create', '--name', 'PMS', ...contact, ...why, '--idempotency-key', 'k')).toMatchObject(
      {
        body: { name: 'PMS', contact: { name: 'Ada', email: 'a@b.c' }, reason: 'ticket 4711' },
        key: 'k',
      },
    )
    expect(sent('credentials', 'rotate', 'cred_1', '--overlap-seconds', '0', ...why)).toMatchObject({
      body: { overlap_seconds: 0 },
    })
  })

  it('takes durations, switches and local flags', () => {
    const flags = ['--silent-for', '30m', '--failing', '--application', 'app_1', '--sort', 'silence']
    expect(sent('overview', ...flags)).toMatchObject({
      path: '/overview',
      query: { silent_for: 1_800, failing: true, application_id: 'app_1' },
    })
    expect(sent('overview', ...flags).query).not.toHaveProperty('sort')
    expect(() => read('overview', '--silent-for', 'soon')).toThrow('--silent-for takes a duration such as 30m')
  })

  it('may leave out the service of a dead letter', () => {
    expect(read('dead-letters', 'show', 'dl_1').values).toEqual({ id: 'dl_1' })
    expect(read('dead-letters', 'show', 'ari', 'dl_1').values).toEqual({ service: 'ari', id: 'dl_1' })
  })

  it('takes mappings one by one, from a file, or both', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'ops-')), 'mappings.json')
    const odd = { entity_type: 'room', service_id: 'a=b', external_id: 'C' }
    writeFileSync(file, JSON.stringify({ mappings: [odd] }))
    const maps = ['--map', 'room:rm_1=D=1', '--map=rate_plan:rp:1=']
    const mapped = [
      { entity_type: 'room', service_id: 'rm_1', external_id: 'D=1' },
      { entity_type: 'rate_plan', service_id: 'rp:1', external_id: null },
    ]
    const set = (...argv: string[]) => sent('connections', 'mappings-set', 'con_1', ...argv, ...why)
    expect(set(...maps, '--expected-version', '3')).toEqual({
      method: 'PUT',
      path: '/connections/con_1/mappings',
      query: {},
      body: { mappings: mapped, expected_version: 3, reason: 'ticket 4711' },
    })
    expect(set('--file', file)).toMatchObject({ body: { mappings: [odd] } })
    expect(set(...maps, '--file', file)).toMatchObject({ body: { mappings: [...mapped, odd] } })
    rmSync(dirname(file), { recursive: true })
  })

  it('names reservations by ids or by arrival', () => {
    const redeliver = (...argv: string[]) => sent('connections', 'redeliver', 'con_1', ...argv, ...why)
    const reason = 'ticket 4711'
    expect(redeliver('--reservation-ids', 'A,B')).toMatchObject({ body: { reservation_ids: ['A', 'B'], reason } })
    expect(redeliver('--check-in-from', '2026-12-01')).toMatchObject({ body: { check_in_from: '2026-12-01', reason } })
  })

  it('has a word for each place in the path', () => {
    const path = '/dead-letters/catalog/dl_1/replay'
    expect(sent('dead-letters', 'replay', 'catalog', 'dl_1', ...why)).toMatchObject({ path })
    expect(sent('dead-letters', 'replay', 'catalog', '--id', 'dl_1', ...why)).toMatchObject({ path })
    expect(sent('dead-letters', 'list', '--service', 'ari', '--state', 'discarded').query).toEqual({
      service: 'ari',
      state: 'discarded',
    })
  })

  it('becomes a query', () => {
    expect(sent('connections', 'list', '--source-property-id', 'prop 1&2', '--state', 'closed', '--all')).toEqual({
      method: 'GET',
      path: '/connections',
      query: { source_property_id: 'prop 1&2', state: 'closed' },
    })
  })

  it('may leave out the only verb, and have its flags anywhere', () => {
    expect(read('overview', '--limit', '3')).toMatchObject({ command: { path: '/overview' }, values: { limit: 3 } })
    expect(read('--json', 'audit')).toMatchObject({ command: { path: '/audit' }, values: { json: true } })
  })

  it.each([
    [['aplications', 'list'], 'Did you mean applications?'],
    [['connection', 'list'], 'Did you mean connections?'],
    [['guests', 'list'], 'There is: applications, connections'],
    [['applications', 'aprove'], 'Did you mean approve?'],
    [['applications'], 'create, list, show'],
    [['--json'], 'Say what it is about'],
    [['applications', 'create', '--nmae', 'x'], 'Did you mean --name?'],
    [['applications', 'create', '--email', 'x'], 'Did you mean --contact-email?'],
    [['applications', 'list', '--constructor'], 'has no --constructor'],
    [['applications', 'show'], 'Missing: --id app_… (the application)'],
    [['applications', 'approve', 'app_1'], 'goes into the audit with why: --reason'],
    [['applications', 'limits', 'app_1', ...why], 'at least one of --feed'],
    [['applications', 'limits', 'app_1', '--feed', '600', ...why], 'such as 600/60'],
    [['applications', 'limits', 'app_1', '--feed', '0/1', ...why], 'such as 600/60'],
    [['applications', 'show', 'app_1', 'app_2'], 'one word too many'],
    [['dead-letters', 'show', 'catalog'], 'Missing: --id dl_… (the dead letter)'],
    [['dead-letters', 'show', 'catalog', 'dl_1', 'dl_2'], 'one word too many'],
    [['dead-letters', 'list', '--service', 'katalog'], 'Did you mean catalog?'],
    [['dead-letters', 'list', '--state', 'opn'], 'Did you mean open?'],
    [['connections', 'redeliver', 'con_1', ...why], 'at least one of --reservation-ids'],
    [['connections', 'mappings-set', 'con_1', ...why], 'at least one of --map, --file'],
    [['connections', 'mappings-set', 'con_1', '--map', 'bed:1=A', ...why], 'takes room:ID=EXTERNAL'],
    [['connections', 'mappings-set', 'con_1', '--file', '/none.json', ...why], 'a file with a JSON array'],
    [['applications', 'list', 'app_1'], 'one word too many'],
    [['applications', 'show', 'app_1', '--id', 'app_1'], 'given twice'],
    [['audit', '--actor', 'a', '--actor', 'b'], '--actor is given twice'],
    [['audit', '--actor', '--json'], '--actor needs a value'],
    [['audit', '--actor'], '--actor needs a value'],
    [['audit', '--json=no'], '--json takes no value'],
    [['audit', '--limit', '0'], 'a whole number from 1'],
    [['audit', '--limit', '5', '--all'], 'not both'],
    [['connections', 'list', '--state', 'disbled'], 'Did you mean disabled?'],
    [['credentials', 'create', 'con_1', '--type', 'oauth', '--scopes', 'ari:read,ari:wite', ...why], 'mean ari:write?'],
    [['credentials', 'rotate', 'cred_1', '--overlap-seconds', '1.5', ...why], 'a whole number'],
  ])('%j is answered with help', (argv, words) => {
    expect(() => read(...argv)).toThrow(words)
  })

  it.each(['..', '.', '', 'a/b', 'a%2fb', 'a?b'])('never leads to another path by the id "%s"', (id) => {
    expect(() => sent('credentials', 'revoke', `--id=${id}`, ...why)).toThrow('is no id')
  })
})

describe('help', () => {
  it.each([
    [[], '<noun> <verb>'],
    [['--help'], '<noun> <verb>'],
    [['help'], '<noun> <verb>'],
    [['applications', '-h'], 'approve'],
    [['help', 'applications', 'create'], '--contact-email'],
    [['applications', 'create', '--help'], '--contact-email'],
    [['overview', '--help'], '--all'],
  ])('is shown for %j', (argv, words) => {
    const asked = readArguments(argv)
    expect(asked.help).toBe(true)
    expect(helpText(asked as HelpWanted)).toContain(words)
  })

  it.each(commands.map((command) => [`${command.noun} ${command.verb}`, command] as const))(
    'on %s names every flag and shows an example that works',
    (name, command) => {
      const text = helpText({ command })
      for (const flag of Object.keys(flagsOf(command))) expect(text).toContain(`--${flag}`)
      const [example = ''] = /(?<=Example:\n {2}npm run ops -- ).*/.exec(text)!
      expect(example.startsWith(name)).toBe(true)
      const asked = read(...split(example))
      expect(requestOf(asked.command, asked.values).path).toMatch(/^\//)
    },
  )

  it('has first steps that work', () => {
    const steps = [...helpText({}).matchAll(/^ {2}npm run ops -- ([a-z].*)$/gm)].map(([, line]) => line!)
    expect(steps).toHaveLength(8)
    for (const step of steps) expect(read(...split(step)).values).toBeDefined()
  })
})

describe('the table of commands', () => {
  const flag = (noun: string, verb: string, name: string) => {
    const { flags } = commands.find((command) => command.noun === noun && command.verb === verb)!
    return flags[name]?.oneOf
  }

  it('has the words of the contracts', () => {
    expect(flag('connections', 'create', 'environment')).toEqual(environments)
    expect(flag('connections', 'list', 'state')).toEqual(connectionStates)
    expect(flag('connections', 'transition', 'to')).toEqual(transitionTargets)
    expect(flag('dead-letters', 'list', 'service')).toEqual([...services, 'gateway'])
    expect(flag('dead-letters', 'list', 'state')!.toSorted()).toEqual(deadLetterStates.toSorted())
    expect(flag('credentials', 'create', 'type')).toEqual(credentialTypes)
    expect(flag('credentials', 'create', 'scopes')).toEqual(scopes)
    expect(commands.find(({ verb }) => verb === 'limits')).toMatchObject({ needsOneOf: limitClasses })
  })

  it('gives flags of one name a value either always or never: parseArgs must know before the command is known', () => {
    for (const command of commands) {
      for (const [name, { value }] of Object.entries(flagsOf(command))) {
        expect([name, parseOptions[name]!.type]).toEqual([name, value ? 'string' : 'boolean'])
      }
    }
  })
})
