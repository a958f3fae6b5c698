// Applies an overlay twice, as its README says, and checks the result.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { goProgram } from '@connectivity/toolkit/go-programs'
import { until } from '@connectivity/toolkit/until'
import { root } from './config.ts'
import type { Kubectl } from './kubectl.ts'

const NAMESPACES = ['partner-connectivity', 'kafka']
const WITHIN = 120_000
const EVERY = 250

interface Workload {
  kind: string
  metadata: { name: string }
  status: { replicas?: number; active?: number; failed?: number }
}
interface Event {
  message: string
  involvedObject: { kind: string; name: string }
}

/** Result of applying an overlay. */
export interface Applied {
  objects: number
  /** Refused objects and pods, warnings of PodSecurity, and objects that the second application changed again. */
  refused: string[]
  /** Pods that were admitted. */
  pods: number
}

/** Builds folders of deploy/kubernetes with Kustomize. */
export async function built(folders: readonly string[]): Promise<string> {
  const kustomize = await goProgram('kustomize')
  const texts = folders.map((folder) =>
    execFileSync(kustomize, ['build', join(root, 'deploy/kubernetes', folder)], { encoding: 'utf8' }),
  )
  return texts.join('---\n')
}

const linesThat = (text: string, pattern: RegExp): string[] => text.split('\n').filter((line) => pattern.test(line))

interface Kept {
  kind: string
  metadata: { name: string; namespace?: string; generation?: number; resourceVersion: string }
}

/**
 * Generation of each object, which the server raises when anything but the status changes; for kinds without one the
 * resource version, which changes with everything.
 */
function generations(kubectl: Kubectl, manifests: string): Map<string, string> {
  const { items } = JSON.parse(
    kubectl.must(['get', '--ignore-not-found', '--output=json', '--filename', '-'], manifests),
  ) as { items: Kept[] }
  const numberOf = ({ kind, metadata: { generation, resourceVersion } }: Kept): string =>
    String(generation ?? (kind === 'ResourceQuota' ? 'its sums change' : resourceVersion))
  return new Map(
    items.map((kept) => [`${kept.kind} ${kept.metadata.namespace ?? ''}/${kept.metadata.name}`, numberOf(kept)]),
  )
}

/** Applies manifests twice. */
async function applyTwice(kubectl: Kubectl, manifests: string): Promise<Applied> {
  const first = kubectl.apply(manifests)
  const before = generations(kubectl, manifests)
  const second = kubectl.apply(manifests)
  const after = generations(kubectl, manifests)
  const changed = [...after].filter(([object, generation]) => before.get(object) !== generation)
  const refused = [
    ...first.errorLines,
    ...second.errorLines,
    ...changed.map(([object]) => `${object} changed when it was applied again`),
  ]
  const objects = linesThat(first.stdout, / (created|configured|unchanged)$/).length
  return { objects, refused, pods: await admitted(kubectl, refused) }
}

const hasPods = ({ kind, status }: Workload): boolean => (kind === 'Job' ? status.active : status.replicas) === 1

/** Waits until every workload has its pod, or something refuses one, which it adds to `refused`. */
async function admitted(kubectl: Kubectl, refused: string[]): Promise<number> {
  const workloads = () => kubectl.list<Workload>(['deployments,jobs', '--namespace=partner-connectivity'])
  const refusals = () =>
    kubectl
      .list<Event>(['events', '--namespace=partner-connectivity', '--field-selector=reason=FailedCreate'])
      .map(({ message, involvedObject: { kind, name } }) => `${kind} ${name}: ${message}`)
  const missing = (): string[] => workloads().filter((one) => !hasPods(one)).map(({ metadata }) => metadata.name) // prettier-ignore
  await until(() => missing().length === 0 || refusals().some(isFinal), {
    within: WITHIN,
    every: EVERY,
    complaint: () => `no pods of ${missing().join(', ')}`,
  })
  refused.push(...refusals().filter(isFinal))
  return workloads().filter(hasPods).length
}

/** Whether a refusal is final: controllers retry while the service account or the quota's sums do not exist yet. */
const isFinal = (message: string): boolean => !/status unknown for quota|service account|serviceaccount/.test(message)

/** Removes what was applied, so that the next overlay finds an empty cluster. */
export async function remove(kubectl: Kubectl, manifests: string): Promise<void> {
  kubectl.must(['delete', '--wait=false', '--ignore-not-found', '--filename', '-'], manifests)
  const left = (): string[] => NAMESPACES.filter((name) => kubectl.succeeds(['get', 'namespace', name]))
  kubectl.call(['delete', 'namespace', ...NAMESPACES, '--wait=false', '--ignore-not-found'])
  await until(() => left().length === 0, {
    within: WITHIN,
    every: EVERY,
    complaint: () => `${left().join(' and ')} did not go`,
  })
}

/** Applies folders, after the manifests that they require. */
export async function prove(kubectl: Kubectl, folders: readonly string[], before: string): Promise<Applied> {
  const manifests = await built(folders)
  kubectl.must(['create', 'namespace', 'partner-connectivity', '--save-config'])
  kubectl.must(['apply', '--filename', '-'], before)
  return applyTwice(kubectl, manifests)
}
