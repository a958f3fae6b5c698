import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { connectionStates, environments } from '@connectivity/contracts/connection-events'
import { deadLetterStates } from '@connectivity/contracts/dead-letters'
import { services } from '@connectivity/contracts/identity'
import { credentialTypes, transitionTargets } from '@connectivity/contracts/operators-api'
import { rateClasses } from '@connectivity/contracts/rate-limits'
import { scopes } from '@connectivity/contracts/scopes'
import { commands } from '../commands.ts'
import { flagsOf } from '../flags.ts'
import { requestOf } from '../request.ts'
import { outcomeOf, read } from './read.ts'

const sent = async (...argv: string[]) => {
  const { command, values } = await read(...argv)
  const { query, ...request } = requestOf(command, values)
  return { ...request, query: Object.fromEntries(query) }
}
const why = ['--reason', 'ticket 4711']

/** Splits a command line as a shell does; completes the ids of an example. */
const split = (line: string): string[] =>
  [...line.replaceAll('…', '1').matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)

describe('a command line', () => {
  it('becomes a call with path, body and reason', async () => {
    expect(
      await sent('credentials', 'create', 'con_1', '--type', 'oauth', '--scopes', 'ari:read,ari:write', ...why),
    ).toEqual({
      method: 'POST',
      path: '/connections/con_1/credentials',
      query: {},
      body: { type: 'oauth', scopes: ['ari:read', 'ari:write'], reason: 'ticket 4711' },
    })
    expect(
      await sent('applications', 'limits', '--id', 'app_1', '--feed=1200/120', '--ari', '1/1', ...why),
    ).toMatchObject({
      method: 'PUT',
      path: '/applications/app_1/limits',
      body: { limits: { feed: { per_minute: 1_200, burst: 120 }, ari: { per_minute: 1, burst: 1 } } },
    })
    const contact = ['--contact-name', 'Ada', '--contact-email', 'a@b.c']
    expect(
      await sent('applications', 'create', '--name', 'PMS', ...contact, ...why, '--idempotency-key', 'k'),
    ).toMatchObject({
      body: { name: 'PMS', contact: { name: 'Ada', email: 'a@b.c' }, reason: 'ticket 4711' },
      key: 'k',
    })
    expect(await sent('credentials', 'rotate', 'cred_1', '--overlap-seconds', '0', ...why)).toMatchObject({
      body: { overlap_seconds: 0 },
    })
  })

  it('takes durations, switches and local flags', async () => {
    const flags = ['--silent-for', '30m', '--failing', '--application', 'app_1', '--sort', 'silence']
    expect(await sent('overview', ...flags)).toMatchObject({
      path: '/overview',
      query: { silent_for: 1_800, failing: true, application_id: 'app_1' },
    })
    expect((await sent('overview', ...flags)).query).not.toHaveProperty('sort')
    await expect(read('overview', '--silent-for', 'soon')).rejects.toThrow('It takes a duration such as 30m')
  })

  it('takes times as the service does', async () => {
    const times = { since: '2026-11-20T00:00:00+01:00', until: '2026-11-21T10:15:30.123Z' }
    expect((await sent('requests', 'list', '--since', times.since, '--until', times.until)).query).toEqual(times)
  })

  it('may leave out the service of a dead letter', async () => {
    expect((await read('dead-letters', 'show', 'dl_1')).values).toEqual({ id: 'dl_1' })
    expect((await read('dead-letters', 'show', 'ari', 'dl_1')).values).toEqual({ service: 'ari', id: 'dl_1' })
  })

  it('takes mappings one by one, from a file, or both', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'ops-')), 'mappings.json')
    const odd = { entity_type: 'room', service_id: 'a=b', external_id: 'C' }
    writeFileSync(file, JSON.stringify({ mappings: [odd] }))
    const maps = ['--map', 'room:rm_1=D=1', '--map=rate_plan:rp:1=']
    const mapped = [
      { entity_type: 'room', service_id: 'rm_1', external_id: 'D=1' },
      { entity_type: 'rate_plan', service_id: 'rp:1', external_id: null },
    ]
    const set = (...argv: string[]) => sent('connections', 'mappings-set', 'con_1', ...argv, ...why)
    expect(await set(...maps, '--expected-version', '3')).toEqual({
      method: 'PUT',
      path: '/connections/con_1/mappings',
      query: {},
      body: { mappings: mapped, expected_version: 3, reason: 'ticket 4711' },
    })
    expect(await set('--file', file)).toMatchObject({ body: { mappings: [odd] } })
    expect(await set(...maps, '--file', file)).toMatchObject({ body: { mappings: [...mapped, odd] } })
    rmSync(dirname(file), { recursive: true })
  })

  it('names reservations by ids or by arrival', async () => {
    const redeliver = (...argv: string[]) => sent('connections', 'redeliver', 'con_1', ...argv, ...why)
    const reason = 'ticket 4711'
    expect(await redeliver('--reservation-ids', 'A,B')).toMatchObject({ body: { reservation_ids: ['A', 'B'], reason } })
    expect(await redeliver('--check-in-from', '2026-12-01')).toMatchObject({
      body: { check_in_from: '2026-12-01', reason },
    })
  })

  it('has a word for each place in the path', async () => {
    const path = '/dead-letters/catalog/dl_1/replay'
    expect(await sent('dead-letters', 'replay', 'catalog', 'dl_1', ...why)).toMatchObject({ path })
    expect(await sent('dead-letters', 'replay', 'catalog', '--id', 'dl_1', ...why)).toMatchObject({ path })
    expect((await sent('dead-letters', 'list', '--service', 'ari', '--state', 'discarded')).query).toEqual({
      service: 'ari',
      state: 'discarded',
    })
  })

  it('becomes a query', async () => {
    expect(await sent('connections', 'list', '--source-property-id', 'prop 1&2', '--state', 'closed', '--all')).toEqual(
      {
        method: 'GET',
        path: '/connections',
        query: { source_property_id: 'prop 1&2', state: 'closed' },
      },
    )
  })

  it('may leave out the only verb, and have its flags anywhere', async () => {
    expect(await read('overview', '--limit', '3')).toMatchObject({
      command: { path: '/overview' },
      values: { limit: 3 },
    })
    expect(await read('--json', 'audit')).toMatchObject({ command: { path: '/audit' }, values: { json: true } })
  })

  it.each([
    [['aplications', 'list'], 'Did you mean applications?'],
    [['connection', 'list'], 'Did you mean connections?'],
    [['house', 'list'], "unknown command 'house'\nSee: npm run ops -- --help"],
    [['applications', 'aprove'], 'Did you mean approve?'],
    [['applications', 'drop'], "unknown command 'drop'\nSee: npm run ops -- applications --help"],
    [['applications'], 'Commands:\n  create'],
    [['--json'], 'Commands:\n  applications'],
    [['applications', 'create', '--nmae', 'x'], 'Did you mean --name?'],
    [
      ['applications', 'create', '--email', 'x'],
      "unknown option '--email'\nExample: npm run ops -- applications create --name",
    ],
    [['applications', 'list', '--constructor'], "unknown option '--constructor'"],
    [['applications', 'show'], 'missing --id <app_…> (the application)'],
    [
      ['applications', 'create', '--name', 'x', ...why],
      'missing --contact-name <TEXT> (name of the contact), --contact-email',
    ],
    [['applications', 'approve', 'app_1'], 'missing --reason <TEXT>'],
    [
      ['applications', 'approve', 'app_1'],
      'Example: npm run ops -- applications approve app_… --reason "contract signed"',
    ],
    [['applications', 'limits', 'app_1', ...why], 'at least one of --feed'],
    [['applications', 'limits', 'app_1', '--feed', '600', ...why], 'such as 600/60'],
    [['applications', 'limits', 'app_1', '--feed', '0/1', ...why], 'such as 600/60'],
    [['applications', 'show', 'app_1', 'app_2'], 'Expected 1 argument but got 2'],
    [['dead-letters', 'show', 'catalog'], 'missing --id <dl_…> (the dead letter)'],
    [['dead-letters', 'show', 'catalog', 'dl_1', 'dl_2'], 'Expected 2 arguments but got 3'],
    [['dead-letters', 'list', '--service', 'katalog'], 'Allowed choices are catalog, reservation-feed'],
    [['dead-letters', 'list', '--state', 'opn'], 'Allowed choices are open, replayed, discarded'],
    [['connections', 'redeliver', 'con_1', ...why], 'at least one of --reservation-ids'],
    [['connections', 'mappings-set', 'con_1', ...why], 'at least one of --map, --file'],
    [['connections', 'mappings-set', 'con_1', '--map', 'bed:1=A', ...why], 'takes room:ID=EXTERNAL'],
    [['connections', 'mappings-set', 'con_1', '--file', '/none.json', ...why], 'a file with a JSON array'],
    [['applications', 'list', 'app_1'], 'Expected 0 arguments but got 1'],
    [['applications', 'show', 'app_1', '--id', 'app_1'], 'given twice'],
    [['audit', '--actor', 'a', '--actor', 'b'], "option '--actor <WHO>' argument 'b' is invalid. It is given twice."],
    [['audit', '--actor', '--json'], "option '--actor <WHO>' argument missing"],
    [['audit', '--actor', '--subject', 'app_1'], 'It needs a value, and this looks like a flag'],
    [['applications', 'approve', 'app_1', '--reason', '-h'], 'It needs a value, and this looks like a flag'],
    [['audit', '--actor'], "option '--actor <WHO>' argument missing"],
    [['audit', '--json=no'], "unknown option '--json=no'"],
    [['audit', 'lst'], 'Expected 0 arguments but got 1'],
    [['audit', '--limit', '0'], 'a whole number from 1'],
    [['requests', 'list', '--since', 'yesterday'], 'It takes a time with its zone, such as 2026-11-20T00:00:00Z'],
    [['audit', '--to', '2026-11-20'], 'It takes a time with its zone'],
    [
      ['credentials', 'create', 'con_1', '--type', 'oauth', '--expires-at', '2027-01-31T00:00:00', ...why],
      'It takes a time with its zone',
    ],
    [['audit', '--limit', '5', '--all'], "option '--all' cannot be used with option '--limit <N>'"],
    [['connections', 'list', '--state', 'disbled'], 'Allowed choices are provisioning, pilot'],
    [
      ['credentials', 'create', 'con_1', '--type', 'oauth', '--scopes', 'ari:read,ari:wite', ...why],
      'Allowed choices are reservations:read',
    ],
    [['credentials', 'rotate', 'cred_1', '--overlap-seconds', '1.5', ...why], 'a whole number'],
    [['credentials', 'rotate', 'cred_1', '--overlap-seconds', '-1', ...why], 'a whole number'],
  ])('%j is answered with help, and not carried out', async (argv, words) => {
    const { done, out, err, exitCode } = await outcomeOf(...argv)
    expect(err).toContain(words)
    expect({ done, out, exitCode }).toEqual({ out: '', exitCode: 1 })
  })

  it('cannot control the terminal with a wrong word', async () => {
    expect((await outcomeOf('audit', '--\u001b[2J')).err).toContain("error: unknown option '--\\u001b[2J'\n")
  })

  it.each(['..', '.', '', 'a/b', 'a%2fb', 'a?b'])('never leads to another path by the id "%s"', async (id) => {
    await expect(sent('credentials', 'revoke', `--id=${id}`, ...why)).rejects.toThrow('is not an id')
    await expect(sent('credentials', 'revoke', id, ...why)).rejects.toThrow('is not an id')
  })
})

describe('help', () => {
  it.each([
    [[], 'Commands:\n  applications'],
    [['--help'], 'Commands:\n  applications'],
    [['help'], 'Commands:\n  applications'],
    [['applications', '-h'], 'approve'],
    [['help', 'applications', 'create'], '--contact-email'],
    [['applications', 'create', '--help'], '--contact-email'],
    [['overview', '--help'], '--all'],
  ])('is shown for %j', async (argv, words) => {
    const { done, out, err, exitCode } = await outcomeOf(...argv)
    expect(out).toContain(words)
    expect({ done, err, exitCode }).toEqual({ err: '', exitCode: 0 })
  })

  it.each(commands.map((command) => [`${command.noun} ${command.verb}`, command] as const))(
    'on %s names every flag and shows an example that works',
    async (name, command) => {
      const { out } = await outcomeOf(...name.split(' '), '--help')
      for (const flag of [...Object.keys(flagsOf(command)), 'json', 'read-only', 'help']) {
        expect(out).toContain(`--${flag}`)
      }
      const [example = ''] = /(?<=Example:\n {2}npm run ops -- ).*/.exec(out)!
      expect(example.startsWith(name)).toBe(true)
      const asked = await read(...split(example))
      expect(requestOf(asked.command, asked.values).path).toMatch(/^\//)
    },
  )

  it('has first steps that work', async () => {
    const { out } = await outcomeOf('--help')
    const steps = [...out.matchAll(/^ {2}npm run ops -- ([a-z].*)$/gm)].map(([, line]) => line!)
    expect(steps).toHaveLength(8)
    for (const step of steps) expect((await read(...split(step))).values).toBeDefined()
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
    expect(commands.find(({ verb }) => verb === 'limits')).toMatchObject({ needsOneOf: rateClasses })
  })

  it('leaves the flags of every command to the program', () => {
    const ofAll = ['json', 'read-only', 'help']
    expect(commands.flatMap((command) => Object.keys(flagsOf(command)).filter((name) => ofAll.includes(name)))).toEqual(
      [],
    )
  })
})
