// The database operator and its Barman Cloud plugin from the manifests in their Go modules.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { goModule, moduleOfProgram } from '@connectivity/toolkit/go-programs'
import { Authority } from '@connectivity/testing/certificates'
import type { Kubectl } from '../kubectl.ts'
import { type KubernetesObject, list, objectsIn } from '../node/objects.ts'
import type { DatabaseImages } from './images.ts'

const NAMESPACE = 'cnpg-system'
const DEPLOYMENTS = ['cnpg-controller-manager', 'barman-cloud']

interface Container {
  image: string
  imagePullPolicy?: string
}
interface Deployment {
  spec: { template: { spec: { containers: [Container] } } }
}
interface Secret {
  data: { SIDECAR_IMAGE: string }
}

interface Certificate extends KubernetesObject {
  spec: { secretName: string; commonName: string }
}

const isOfCertManager = ({ apiVersion }: KubernetesObject): boolean => apiVersion.startsWith('cert-manager.io/')
const isCertificate = (object: KubernetesObject): object is Certificate => object.kind === 'Certificate'

/** What is applied to the cluster, and the images that it asks for. */
export interface Operators {
  objects: KubernetesObject[]
  images: Omit<DatabaseImages, 'postgres'>
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Objects of a file in the module that a program is built from. */
async function objectsOf(program: string, fileOf: (version: string) => string): Promise<KubernetesObject[]> {
  const module = moduleOfProgram(program)
  const file = join(await goModule(module), fileOf(module.split('@v')[1]!))
  return objectsIn(readFileSync(file, 'utf8'))
}

const containerOf = (objects: readonly KubernetesObject[]): Container => {
  const [deployment] = objects.filter(({ kind }) => kind === 'Deployment') as unknown as Deployment[]
  return deployment!.spec.template.spec.containers[0]
}

/** What cert-manager would make of the plugin's Certificates. */
function certificates(wanted: readonly Certificate[]): KubernetesObject[] {
  const authority = new Authority()
  const secretOf = ({
    metadata: { namespace },
    spec: { secretName: name, commonName },
  }: Certificate): KubernetesObject => {
    const { cert, key } = authority.selfSigned(commonName)
    const data = { 'tls.crt': base64(cert), 'tls.key': base64(key) }
    return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data }
  }
  try {
    return wanted.map(secretOf)
  } finally {
    authority.remove()
  }
}

/**
 * Reads the manifests. They stay as they are shipped, but the operator's image is not pulled, and nothing asks
 * cert-manager.
 */
export async function operators(): Promise<Operators> {
  const operator = await objectsOf('cloudnative-pg', (version) => `releases/cnpg-${version}.yaml`)
  const plugin = await objectsOf('plugin-barman-cloud', () => 'manifest.yaml')
  const container = containerOf(operator)
  delete container.imagePullPolicy
  const [settings] = plugin.filter(({ data }) => data?.SIDECAR_IMAGE !== undefined) as unknown as Secret[]
  return {
    objects: [
      ...operator,
      ...plugin.filter((one) => !isOfCertManager(one)),
      ...certificates(plugin.filter(isCertificate)),
    ],
    images: {
      operator: container.image,
      plugin: containerOf(plugin).image,
      sidecar: Buffer.from(settings!.data.SIDECAR_IMAGE, 'base64').toString(),
    },
  }
}

/** Installs operator and plugin; resolves when both are ready. */
export async function install(kubectl: Kubectl, objects: readonly KubernetesObject[]): Promise<void> {
  const isFirst = ({ kind }: KubernetesObject) => /^(Namespace|CustomResourceDefinition)$/.test(kind)
  const apply = (some: readonly KubernetesObject[]) =>
    kubectl.later(['apply', '--server-side', '--filename', '-'], list(some))
  await apply(objects.filter(isFirst))
  kubectl.must(['wait', '--for=condition=established', 'crd', '--all', '--timeout=60s'])
  await apply(objects.filter((object) => !isFirst(object)))
  for (const name of DEPLOYMENTS)
    await kubectl.later(['rollout', 'status', `deployment/${name}`, `--namespace=${NAMESPACE}`, '--timeout=300s'])
}
