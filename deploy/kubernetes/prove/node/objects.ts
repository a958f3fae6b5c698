// Objects of a cluster, as programs read and write them.
import { parseAllDocuments } from 'yaml'
import type { Kubectl } from '../kubectl.ts'

/** An object, with what most of them have. */
export interface KubernetesObject {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string> }
  data?: Record<string, string>
  spec?: unknown
}

/** Objects in YAML. */
export const objectsIn = (text: string): KubernetesObject[] =>
  parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject)

/** One text with all objects, for kubectl. */
export const list = (items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items })

/** Does work, and prints the pods' states and events when it fails. */
export async function orPods<T>(kubectl: Kubectl, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    for (const kind of ['pods', 'events'])
      process.stdout.write(`${kubectl.call(['get', kind, '--all-namespaces', '--output=wide']).stdout}\n`)
    throw error
  }
}
