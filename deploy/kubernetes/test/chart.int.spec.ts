import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { goProgram, isAtHand } from '@connectivity/toolkit/go-programs'
import { chartOf, writeChart } from '../chart/chart.js'
import { values } from '../chart/values.js'
import { build } from './kustomize.js'
import { type Manifest, parseManifests } from './manifests.js'

const canRender = isAtHand('helm') || process.env.GO_PROGRAMS === 'required'
const withHelm = canRender ? describe : describe.skip
const title = canRender ? 'the chart' : 'the chart (left out: npm run kubernetes:validate builds helm)'
const OPTIONS = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const

interface Pods {
  spec?: { template?: { metadata: { annotations?: Record<string, string> } } }
}

/**
 * Objects by kind and name, without the chart's additions: a checksum, and the release's number in the names of Jobs.
 */
function byName(manifests: readonly Manifest[]): Record<string, object> {
  return Object.fromEntries(
    manifests.map(({ kind, metadata, object }) => {
      const annotations = (object as Pods).spec?.template?.metadata.annotations
      delete annotations?.['checksum/values']
      if (annotations && Object.keys(annotations).length === 0)
        delete (object as Pods).spec!.template!.metadata.annotations
      if (kind === 'Job') metadata.name = metadata.name.replace(/-1$/, '')
      return [`${kind} ${metadata.namespace ?? ''}/${metadata.name}`, object]
    }),
  )
}

withHelm(title, () => {
  let folder: string
  let overlay: string
  let helm: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'chart-'))
    helm = await goProgram('helm')
    overlay = await build('overlays/production')
    writeChart(folder, chartOf(overlay, '0.1.0'))
  }, 900_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const rendered = (...more: string[]): Manifest[] =>
    parseManifests(execFileSync(helm, ['template', 'partner-connectivity', folder, ...more], OPTIONS), 'chart').filter(
      ({ kind }) => kind !== undefined,
    )

  it('has exactly the objects of the production overlay', () => {
    expect(byName(rendered())).toEqual(byName(parseManifests(overlay, 'overlay')))
  })

  it('replaces every example by its value', () => {
    const more = values.flatMap(({ path }) => ['--set-string', `${path}=given-${path.replaceAll('.', '-')}`])
    const text = JSON.stringify(rendered(...more))
    for (const { path, example } of values) {
      expect(text).toContain(`given-${path.replaceAll('.', '-')}`)
      expect(text).not.toContain(example)
    }
  })

  it('restarts the pods when a value changes', () => {
    const sums = (text: string): string[] => [...text.matchAll(/checksum\/values: (\w+)/g)].map(([, sum]) => sum!)
    const template = (...more: string[]): string[] =>
      sums(execFileSync(helm, ['template', 'partner-connectivity', folder, ...more], OPTIONS))
    const [before, after] = [template(), template('--set-string', 'trustedProxies=10.0.0.0/8')]
    expect(before).toHaveLength(5)
    expect(after.filter((sum) => before.includes(sum))).toEqual([])
  })
})
