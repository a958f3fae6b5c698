// Our manifests of the databases, as a cluster with one node can have them.
import { chownSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NAMESPACE, root } from '../config.ts'
import { built } from '../overlays.ts'
import { type KubernetesObject, objectsIn } from '../node/objects.ts'
import { POSTGRES } from './images.ts'

/** The service whose database is restored, and the one whose database its steps ask. */
export const [RESTORED, ASKED] = ['reservation-feed', 'event-dispatch'] as const
/** Names of what belongs to these services. */
const OF_SERVICES = new RegExp(`^(migrate-|create-)?(${RESTORED}|${ASKED}|topics)(-|$)`)
const PLATFORM = 'deploy/kubernetes/platform'
const RESTORE = `${PLATFORM}/postgres/restored.yaml`
/** Ours ask for three instances in three zones. */
const INSTANCES = 2

interface Cluster extends KubernetesObject {
  spec: {
    instances: number
    imageName: string
    bootstrap: { recovery?: { recoveryTarget: { targetTime: string } } }
    postgresql: { parameters: Record<string, string> }
    affinity: object
    resources: object
    storage: { size: string }
    walStorage: { size: string }
  }
}
interface ObjectStore extends KubernetesObject {
  spec: { configuration: { destinationPath: string; endpointURL: string } }
}

const isCluster = (object: KubernetesObject): object is Cluster =>
  object.kind === 'Cluster' && object.apiVersion.startsWith('postgresql.cnpg.io/')

/** A Cluster with two instances on one node that two processors are enough for; everything else stays as it is. */
function small(cluster: Cluster): Cluster {
  const { spec } = cluster
  const parameters = { ...spec.postgresql.parameters, shared_buffers: '128MB', effective_cache_size: '256MB' }
  return {
    ...cluster,
    spec: {
      ...spec,
      instances: INSTANCES,
      postgresql: { ...spec.postgresql, parameters },
      affinity: { podAntiAffinityType: 'preferred' },
      resources: { requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    },
  }
}

/** What the platform has for the two databases: Clusters, network policies, object store and schedules. */
export interface Databases {
  clusters: KubernetesObject[]
  objectStore: KubernetesObject
  bucket: string
  schedules: KubernetesObject[]
  /** Name of PostgreSQL's image. */
  image: string
}

/**
 * Reads `platform`.
 * @param endpointURL where the object store is
 */
export async function databases(endpointURL: string): Promise<Databases> {
  const all = objectsIn(await built(['platform']))
  const isOurs = ({ metadata: { name } }: KubernetesObject): boolean =>
    [RESTORED, ASKED].some((service) => name.startsWith(`${service}-database`)) || name === 'databases'
  const clusters = all.filter(isCluster).filter(isOurs)
  const store = all.find(({ kind }) => kind === 'ObjectStore') as ObjectStore
  store.spec.configuration.endpointURL = endpointURL
  return {
    clusters: [...clusters.map(small), ...all.filter((one) => one.kind === 'NetworkPolicy' && isOurs(one))],
    objectStore: store,
    bucket: new URL(store.spec.configuration.destinationPath).host,
    schedules: all.filter((one) => one.kind === 'ScheduledBackup' && isOurs(one)),
    image: clusters[0]!.spec.imageName,
  }
}

/** The parts of `overlays/local` that run on the two databases: the feed, and the Jobs for migrations and topics. */
export interface Services {
  namespaces: KubernetesObject[]
  objects: KubernetesObject[]
  /** The feed's. */
  deployment: KubernetesObject
}

/** Reads `overlays/local`. */
export async function services(): Promise<Services> {
  const all = objectsIn(await built(['overlays/local']))
  const isDeployment = ({ kind, metadata: { name } }: KubernetesObject): boolean =>
    kind === 'Deployment' && name === RESTORED
  const isNeeded = ({ kind, metadata: { name } }: KubernetesObject): boolean =>
    kind === 'PriorityClass' || (/^(ConfigMap|Job|ServiceAccount)$/.test(kind) && OF_SERVICES.test(name))
  return {
    namespaces: all.filter(({ kind }) => kind === 'Namespace'),
    objects: all.filter((one) => isNeeded(one) || isDeployment(one)).map(withImageOfFeed),
    deployment: all.find(isDeployment)!,
  }
}

/** Topics are made from any image. */
const withImageOfFeed = (object: KubernetesObject): KubernetesObject =>
  object.metadata.name === 'create-topics' ? replaced(object, '/catalog:local', `/${RESTORED}:local`) : object

const replaced = (object: KubernetesObject, from: string, to: string): KubernetesObject =>
  JSON.parse(JSON.stringify(object).replaceAll(from, to)) as KubernetesObject

/** A Deployment that takes the restored database, with the Secrets of that one. */
export const takingRestored = (deployment: KubernetesObject): KubernetesObject =>
  replaced(deployment, `"${RESTORED}-database-`, `"${RESTORED}-database-restored-`)

/** The Secret of the feed's role with the address of the restored database. */
export function restoredRuntime(secrets: string): KubernetesObject {
  const { items } = JSON.parse(secrets) as { items: KubernetesObject[] }
  const runtime = items.find(({ metadata }) => metadata.name === `${RESTORED}-database-runtime`)!
  return replaced(runtime, `${RESTORED}-database-`, `${RESTORED}-database-restored-`)
}

/** The example of a restore, to a moment. */
export function restored(moment: string): KubernetesObject[] {
  const all = objectsIn(readFileSync(join(root, RESTORE), 'utf8'))
  for (const object of all) if (isCluster(object)) object.spec.bootstrap.recovery!.recoveryTarget.targetTime = moment
  return all.map((object) => (isCluster(object) ? small(object) : object))
}

/** File with a base backup by hand. */
export const BACKUP_NOW = `${PLATFORM}/backups/backup-now.yaml`

/** Volumes for the instances of three Clusters, in a folder of this machine. */
export function volumes(folder: string): KubernetesObject[] {
  const sizes = ['200Gi', '20Gi']
  return sizes.flatMap((storage) =>
    Array.from({ length: 3 * INSTANCES }, (_, index) => {
      const name = `${storage.toLowerCase()}-${index}`
      const path = join(folder, name)
      mkdirSync(path, { recursive: true })
      chownSync(path, POSTGRES, POSTGRES)
      return {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name },
        spec: {
          capacity: { storage },
          accessModes: ['ReadWriteOnce'],
          hostPath: { path, type: 'Directory' },
          persistentVolumeReclaimPolicy: 'Retain',
        },
      }
    }),
  )
}

/** The Secret with the access to the object store, which checks none. */
export const accessToObjectStore: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'backup-object-store', namespace: NAMESPACE },
  data: {
    ACCESS_KEY_ID: Buffer.from('proof').toString('base64'),
    ACCESS_SECRET_KEY: Buffer.from('proof').toString('base64'),
  },
}
