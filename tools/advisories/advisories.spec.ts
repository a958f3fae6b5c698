import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checked, findingsOf, isIgnored, packagesOf } from './findings.ts'
import { type Advisory, affects, fixedAfter, severityOf } from './osv.ts'

const DAY = 86_400_000
const ago = (days: number): string => new Date(Date.now() - days * DAY).toISOString()

type Events = NonNullable<NonNullable<Advisory['affected']>[number]['ranges']>[number]['events']

/** A range of an advisory as the database writes it. */
const range = (...events: Events) => ({ ranges: [{ type: 'SEMVER', events }] })

/** An advisory about versions of `planted`. */
const advisory = (affected: object, more: Partial<Advisory> = {}): Advisory => ({
  id: 'GHSA-test-test-0001',
  modified: ago(1),
  summary: 'planted',
  affected: [{ package: { ecosystem: 'npm', name: 'planted' }, ...affected }],
  database_specific: { severity: 'HIGH' },
  ...more,
})

const lock = (packages: Record<string, object>): string => JSON.stringify({ lockfileVersion: 3, packages })
const planted = { 'node_modules/planted': { version: '1.2.3' } }

describe('a range', () => {
  const fixed = range({ introduced: '1.0.0' }, { fixed: '1.4.0' })
  const lastAffected = range({ introduced: '0' }, { last_affected: '2.1.0' })
  const twice = range({ introduced: '3.0.0' }, { fixed: '3.2.0' }, { introduced: '0' }, { fixed: '2.8.1' })

  it.each([
    ['a fixed version', fixed, '1.3.9', true],
    ['a fixed version', fixed, '1.4.0', false],
    ['a fixed version', fixed, '0.9.9', false],
    ['a prerelease of the fixed version, which is before it', fixed, '1.4.0-rc.1', true],
    ['a prerelease of the first version, which is before it', fixed, '1.0.0-beta.2', false],
    ['a fixed version and build metadata', fixed, '1.4.0+build.7', false],
    ['a last version', lastAffected, '2.1.0', true],
    ['a last version', lastAffected, '2.1.1', false],
    ['a last version', lastAffected, '2.1.1-0', false],
    ['a last version, from the beginning', lastAffected, '0.0.0-alpha', true],
    ['two spans in any order', twice, '2.8.0', true],
    ['two spans in any order', twice, '2.9.0', false],
    ['two spans in any order', twice, '3.1.0', true],
    ['two spans in any order', twice, '3.2.0', false],
    ['a beginning alone', range({ introduced: '0' }), '9.9.9', true],
    ['a fixed prerelease', range({ introduced: '0' }, { fixed: '5.0.0-rc.3' }), '5.0.0-rc.2', true],
    ['a fixed prerelease', range({ introduced: '0' }, { fixed: '5.0.0-rc.3' }), '5.0.0-rc.10', false],
    ['one version alone', range({ last_affected: '1.2.3' }, { introduced: '1.2.3' }), '1.2.3', true],
    ['one version alone', range({ last_affected: '1.2.3' }, { introduced: '1.2.3' }), '1.2.4', false],
    ['spans that touch', range({ introduced: '2.0.0' }, { introduced: '0' }, { fixed: '2.0.0' }), '2.0.0', true],
    ['a version that cannot be read', range({ introduced: 'the first' }), '1.0.0', true],
    ['a list of versions', { versions: ['1.0.1'] }, '1.0.1', true],
    ['a list of versions', { versions: ['1.0.1'] }, '1.0.2', false],
    ['commits alone', { ranges: [{ type: 'GIT', events: [{ introduced: '0' }] }] }, '1.0.0', false],
  ])('with %s: %j affects %s: %s', (_, affected, version, expected) => {
    expect(affects(affected, version)).toBe(expected)
  })

  it('names the next version that is fixed', () => {
    expect(fixedAfter(twice, '2.1.0')).toBe('2.8.1')
    expect(fixedAfter(twice, '3.1.0')).toBe('3.2.0')
    expect(fixedAfter(lastAffected, '2.0.0')).toBeUndefined()
  })
})

describe('findings', () => {
  const all = (...advisories: Advisory[]) => findingsOf(packagesOf(lock(planted)), advisories).findings

  it('leave out withdrawn advisories, other ecosystems and other packages', () => {
    const affected = range({ introduced: '0' })
    expect(all(advisory(affected))).toHaveLength(1)
    expect(all(advisory(affected, { withdrawn: ago(1) }))).toEqual([])
    const others = ['PyPI', 'npm'].map((ecosystem) => ({ package: { ecosystem, name: ecosystem === 'npm' ? 'plant' : 'planted' }, ...affected })) // prettier-ignore
    expect(all(advisory({}, { affected: others }))).toEqual([])
  })

  it('have the rating of the advisory, and are critical without one', () => {
    expect(severityOf(advisory({}, { database_specific: { severity: 'MODERATE' } }))).toBe('moderate')
    expect(severityOf(advisory({}, { database_specific: {} }))).toBe('critical')
  })

  it('include nested, aliased and development packages, but neither links nor our own', () => {
    const packages = packagesOf(
      lock({
        '': { version: '1.0.0' },
        'apps/ours': { version: '1.0.0' },
        'node_modules/ours': { link: true },
        'node_modules/a/node_modules/@scope/b': { version: '2.0.0', dev: true },
        'node_modules/other-name': { name: 'planted', version: '1.0.0' },
      }),
    )
    expect(packages).toEqual([
      { name: '@scope/b', version: '2.0.0', path: 'node_modules/a/node_modules/@scope/b', dev: true },
      { name: 'planted', version: '1.0.0', path: 'node_modules/other-name', dev: false },
    ])
  })

  it('may be ignored until a day, for a reason, also by an alias', () => {
    const [finding] = all(advisory(range({ introduced: '0' }), { aliases: ['CVE-2026-0001'] }))
    const entry = { id: 'CVE-2026-0001', package: 'planted', reason: 'not reached', until: '2026-03-01' }
    const at = (day: string) => Date.parse(`${day}T12:00:00Z`)
    expect(isIgnored(finding!, [entry], at('2026-03-01'))).toBe(true)
    expect(isIgnored(finding!, [entry], at('2026-03-02'))).toBe(false)
    expect(isIgnored(finding!, [{ ...entry, package: 'another' }], at('2026-02-01'))).toBe(false)
    expect(() => checked([{ ...entry, reason: '' }])).toThrow('needs package, reason and until')
    expect(() => checked([{ ...entry, until: 'soon' }])).toThrow('needs package, reason and until')
  })
})

describe('the command', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'advisories-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  /** Exit code and output of the command for planted advisories and the lock with one package. */
  function run(advisories: readonly Advisory[], ...more: string[]): { code: number; said: string } {
    advisories.forEach((one, index) => writeFileSync(join(folder, `${index}.json`), JSON.stringify(one)))
    const file = join(folder, 'package-lock')
    writeFileSync(file, lock(planted))
    const args = [join(import.meta.dirname, 'advisories.ts'), '--from', folder, '--lock', file, ...more]
    try {
      const env = { ...process.env, NODE_OPTIONS: '' }
      return { code: 0, said: execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe', env }) }
    } catch (error) {
      const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string }
      return { code: status, said: stdout + stderr }
    }
  }

  const affected = range({ introduced: '1.0.0' }, { fixed: '1.4.0' })

  it('fails with package, version, path, advisory and the fixed version', () => {
    const { code, said } = run([advisory(affected)])
    expect(code).toBe(1)
    expect(said).toContain('high     planted 1.2.3  node_modules/planted  GHSA-test-test-0001  fixed in 1.4.0  planted')
  })

  it('prints findings below the severity without failing', () => {
    const { code, said } = run([advisory(affected)], '--severity', 'critical')
    expect([code, said]).toEqual([0, expect.stringContaining('1 findings, 0 of them critical or worse')])
  })

  it('skips ignored advisories and reports them', () => {
    const file = join(folder, 'ignored.yaml')
    writeFileSync(file, '[{ id: GHSA-test-test-0001, package: planted, reason: not reached, until: 2999-01-01 }]')
    expect(run([advisory(affected)], '--ignored', file)).toEqual({
      code: 0,
      said: expect.stringContaining('(ignored)'),
    })
  })

  it('prints its options, and refuses others', () => {
    expect(run([], '--help')).toEqual({ code: 0, said: expect.stringContaining('--severity critical') })
    expect(run([], '--sever', 'low')).toEqual({ code: 1, said: expect.stringMatching(/^\nUnknown option '--sever'\.\nnpm run/) }) // prettier-ignore
  })

  it('refuses a folder that does not exist', () => {
    const missing = join(folder, 'missing')
    expect(run([], '--from', missing)).toEqual({ code: 1, said: `\nThere is no folder ${missing}.\n` })
  })

  it('rejects an old, an empty and a broken snapshot', () => {
    expect(run([advisory({}, { modified: ago(8) })])).toMatchObject({ code: 1, said: expect.stringContaining('8 days old') }) // prettier-ignore
    expect(run([advisory({}, { modified: ago(8) })], '--max-age', '9').code).toBe(0)
    rmSync(join(folder, '0.json'))
    expect(run([])).toMatchObject({ code: 1, said: expect.stringContaining('holds no advisory') })
    writeFileSync(join(folder, 'x.json'), '{')
    expect(run([])).toMatchObject({ code: 1, said: expect.stringContaining('x.json is no advisory') })
  })
})
