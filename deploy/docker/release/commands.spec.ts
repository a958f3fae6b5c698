import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { names } from '../service-facts.ts'
import { audit, build, setImages, sign } from './commands.ts'

const facts = {
  version: '1.2.3',
  revision: 'a'.repeat(40),
  committed: 1_700_000_000,
  registry: 'registry.example.com/x',
}

/** Output of the script. */
function release(...args: string[]): string {
  const script = join(import.meta.dirname, '../release.ts')
  const env = { ...process.env, NODE_OPTIONS: '' }
  return execFileSync(process.execPath, [script, ...args], { encoding: 'utf8', stdio: 'pipe', env })
}

describe('a release', () => {
  it('builds for both platforms, with bill of materials and provenance, the same each time', () => {
    const { file, args, env } = build('ari', facts, '/tmp/r')
    expect(file).toBe('docker')
    expect(args).toEqual(
      expect.arrayContaining([
        '--platform=linux/amd64,linux/arm64',
        '--attest=type=sbom',
        '--attest=type=provenance,mode=max',
        '--build-arg=APP=ari',
        `--build-arg=REVISION=${facts.revision}`,
        '--tag=registry.example.com/x/ari:1.2.3',
        '--push',
      ]),
    )
    expect(env).toEqual({ SOURCE_DATE_EPOCH: '1700000000' })
  })

  it('signs digests, never tags', () => {
    const image = 'registry.example.com/x/ari@sha256:0'
    expect(sign(image).args).toContain(image)
    expect(setImages(new Map([['ari', image]])).args.at(-1)).toBe(`partner-connectivity/ari=${image}`)
  })

  it('has a step for every service, in the order audit, build, sign', () => {
    const steps = release('--registry', facts.registry, '--dry-run')
      .split('\n')
      .filter((line) => /^(npm|docker|cosign) /.test(line))
    expect(steps[0]).toContain('npm audit')
    expect(steps.slice(1).map((step) => step.split(' ')[0])).toEqual(names.flatMap(() => ['docker', 'cosign']))
    for (const name of names) expect(steps.filter((step) => step.includes(`/${name}@sha256`))).toHaveLength(1)
  })

  it('audits against a folder of advisories where one is named', () => {
    expect(audit('/mirror/npm').args).toEqual(['run', 'advisories', '--', '--production', '--severity=high', '--from=/mirror/npm']) // prettier-ignore
    expect(audit().args[0]).toBe('audit')
  })

  it('refuses to guess a registry', () => {
    expect(() => release('--dry-run')).toThrow('registry')
  })

  it('prints its options, and refuses others without a stack trace', () => {
    expect(release('--help')).toContain('--advisories <folder>')
    expect(() => release('--dry')).toThrow(/\n\nUnknown option '--dry'\.\nnpm run release:images [^]*the commands\n\n$/)
  })
})
