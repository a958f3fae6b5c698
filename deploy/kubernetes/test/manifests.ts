import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'

/** A Kubernetes object as written, with its source. */
export interface Manifest {
  /** Path below `deploy/kubernetes`, or the overlay it was built from. */
  from: string
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string> }
  /** The whole object. */
  object: object
}

export const KUBERNETES = fileURLToPath(new URL('..', import.meta.url))

/** Parses the objects in YAML; documents without a kind, such as values, are skipped. */
export function parseManifests(text: string, from: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    const faults = [...document.errors, ...document.warnings]
    if (faults.length > 0) throw new Error(`${from}: ${faults[0]!.message}`)
    const object = document.toJS() as Omit<Manifest, 'from' | 'object'>
    return { from, apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata, object }
  })
}

/** Whole objects below a folder, without Kustomize's own files and patches. */
export function manifestsBelow(folder: string): Manifest[] {
  const files = readdirSync(join(KUBERNETES, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml') && entry.name !== 'kustomization.yaml')
    .map(({ parentPath, name }) => join(parentPath, name))
  return files.flatMap((file) => parseManifests(readFileSync(file, 'utf8'), relative(KUBERNETES, file)))
}

/** The manifests of one kind, with its type. */
export const ofKind = <T extends object>(manifests: readonly Manifest[], kind: string): T[] =>
  manifests.filter((manifest) => manifest.kind === kind).map(({ object }) => object as T)
