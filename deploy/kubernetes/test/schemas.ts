import { join } from 'node:path'
import ts from 'typescript'
import { KUBERNETES, type Manifest } from './manifests.js'

/** Packages with the schemas of other operators' kinds, by API group. */
const packages: Record<string, string> = {
  'cert-manager.io': '@kubernetes-models/cert-manager',
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'kafka.strimzi.io': '@kubernetes-models/strimzi-kafka-operator',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
}

/** Groups that no package describes; `npm run kubernetes:prove` checks their objects on an API server. */
const UNDESCRIBED = ['barmancloud.cnpg.io', 'gateway.envoyproxy.io']

const isDescribed = ({ apiVersion }: Manifest): boolean => !UNDESCRIBED.includes(apiVersion.split('/')[0]!)

function moduleOf({ apiVersion, kind }: Manifest): string {
  const [group] = apiVersion.split('/')
  return `${packages[group!] ?? 'kubernetes-models'}/${apiVersion}/${kind}`
}

interface Model {
  validate(): void
}

/** First violation of the JSON schema of a manifest's kind: missing fields, wrong types, formats and values. */
async function schemaFault(manifest: Manifest): Promise<string | null> {
  const known = (await import(moduleOf(manifest))) as Record<string, new (object: object) => Model>
  try {
    new known[manifest.kind]!(manifest.object).validate()
    return null
  } catch (error) {
    return `${describe(manifest)}: ${(error as Error).message}`
  }
}

const describe = ({ from, kind, metadata }: Manifest): string => `${from} ${kind} ${metadata.name}`

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts'],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
}

const programOf = (manifest: Manifest): string =>
  `import type { I${manifest.kind} } from '${moduleOf(manifest)}'\n` +
  `export const manifest: I${manifest.kind} = ${JSON.stringify(manifest.object, null, 2)}\n`

/** Parsed files of packages, shared by all manifests. */
const parsed = new Map<string, ts.SourceFile | undefined>()
const files = ts.createCompilerHost(options)
const { readFile, fileExists, getSourceFile } = files

function parsedFile(...given: Parameters<typeof getSourceFile>): ts.SourceFile | undefined {
  const [file] = given
  if (!parsed.has(file)) parsed.set(file, getSourceFile.apply(files, given))
  return parsed.get(file)
}

/** Type errors: fields that do not exist, which the schemas accept. */
function typeFaults(manifests: readonly Manifest[]): string[] {
  const places = manifests.map((_, index) => join(KUBERNETES, 'test', `manifest-${index}.mts`))
  const texts = new Map(places.map((place, index) => [place, programOf(manifests[index]!)]))
  const host: ts.CompilerHost = {
    ...files,
    readFile: (file) => texts.get(file) ?? readFile.call(files, file),
    fileExists: (file) => texts.has(file) || fileExists.call(files, file),
    getSourceFile: (file, language, ...rest) => {
      const text = texts.get(file)
      return text === undefined ? parsedFile(file, language, ...rest) : ts.createSourceFile(file, text, language)
    },
  }
  const program = ts.createProgram(places, options, host)
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const manifest = manifests[places.indexOf(diagnostic.file?.fileName ?? '')]
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')
    return `${manifest === undefined ? '' : describe(manifest)}: ${text}`
  })
}

/** All schema and type errors of manifests whose kinds a package describes. */
export async function faultsOf(all: readonly Manifest[]): Promise<string[]> {
  const manifests = all.filter(isDescribed)
  const bySchema = await Promise.all(manifests.map(schemaFault))
  return [...bySchema.filter((fault) => fault !== null), ...typeFaults(manifests)]
}
