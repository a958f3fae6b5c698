// Helm chart with the objects of an overlay, made from the output of Kustomize, so that there is one source.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'
import { operatorKeys, type Value, values } from './values.ts'

interface Manifest {
  kind: string
  metadata: { name: string; namespace?: string; annotations?: Record<string, string> }
  spec?: { template?: { metadata: { annotations?: Record<string, string> } } }
  data?: Record<string, string>
}

/** Placeholder for `{{ .Values.<path> }}`; the objects' own `{{` are escaped first. */
const markOf = (path: string): string => `VALUE<${path}>`
const MARK = /VALUE<([\w.]+)>/g

/** Replaces examples by placeholders. */
const marked = (text: string): string =>
  values.reduce((all, { path, example }: Value) => all.replaceAll(example, markOf(path)), text)

/** Annotation that restarts pods when a value in their ConfigMap changes; names of ConfigMaps do not change. */
const CHECKSUM = 'checksum/values'
const CHECKSUM_OF_VALUES = 'VALUES<>'
/** Part of a Job's name: a finished Job cannot get another image, so each release makes new Jobs. */
const REVISION = 'REVISION<>'

function withMarks(object: Manifest): Manifest {
  const copy = JSON.parse(marked(JSON.stringify(object))) as Manifest
  if (copy.data?.[operatorKeys.file] !== undefined) copy.data[operatorKeys.file] = markOf(operatorKeys.path)
  if (copy.kind === 'Deployment') {
    const { metadata } = copy.spec!.template!
    metadata.annotations = { ...metadata.annotations, [CHECKSUM]: CHECKSUM_OF_VALUES }
  }
  if (copy.kind === 'Job') copy.metadata.name += `-${REVISION}`
  return copy
}

/** Makes a Helm template: escapes the object's own `{{` and replaces placeholders by values. */
const templateOf = (object: Manifest): string =>
  stringify(withMarks(object), { lineWidth: 0, aliasDuplicateObjects: false })
    .replaceAll('{{', '{{ "{{" }}')
    .replaceAll(REVISION, '{{ .Release.Revision }}')
    .replaceAll(CHECKSUM_OF_VALUES, '{{ .Values | toJson | sha256sum }}')
    .replaceAll(new RegExp(`(?<=: )${MARK.source}$`, 'gm'), (_, path: string) => `{{ .Values.${path} | toJson }}`)
    .replaceAll(MARK, (_, path: string) => `{{ .Values.${path} }}`)

/** Values as a tree, from their paths. */
function tree(entries: readonly (readonly [string, string])[]): object {
  const root: Record<string, unknown> = {}
  for (const [path, value] of entries) {
    const keys = path.split('.')
    const parent = keys.slice(0, -1).reduce((at, key) => (at[key] ??= {}) as Record<string, unknown>, root)
    parent[keys.at(-1)!] = value
  }
  return root
}

const keysOf = (objects: readonly Manifest[]): string =>
  objects.map(({ data }) => data?.[operatorKeys.file]).find((text) => text !== undefined) ?? ''

/** Files of the chart by their path. */
export function chartOf(manifests: string, version: string): Map<string, string> {
  const objects = parseAllDocuments(manifests).map((document) => document.toJS() as Manifest)
  const defaults = [
    ...values.map(({ path, example }) => [path, example] as const),
    [operatorKeys.path, keysOf(objects)] as const,
  ]
  const comments = [...values, operatorKeys].map(({ path, about }) => `# ${path}: ${about}`)
  const files = new Map([
    ['Chart.yaml', stringify({ apiVersion: 'v2', name: 'partner-connectivity', version, type: 'application' })],
    ['values.yaml', `${comments.join('\n')}\n${stringify(tree(defaults))}`],
  ])
  for (const [index, object] of objects.entries()) {
    const name = `${String(index).padStart(3, '0')}-${object.kind.toLowerCase()}-${object.metadata.name}.yaml`
    files.set(join('templates', name), templateOf(object))
  }
  return files
}

/** Writes the chart's files below a folder. */
export function writeChart(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(join(folder, 'templates'), { recursive: true })
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
}
