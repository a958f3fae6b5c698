// Runs in the namespaces of isolated.ts, with a folder for everything that it writes: starts a cluster with one node
// and the database operator on it, and restores a database that the operator runs from the backups that it has taken.
import { join } from 'node:path'
import { startObjectStore } from '@connectivity/toolkit/object-store'
import { step } from '../../../local/bootstrap/machine/progress.mjs'
import type { Stack } from '../../../local/bootstrap/processes/stack.mjs'
import { secretsOf } from '../../../local/services/secrets.ts'
import { secretsFrom } from '../secrets.ts'
import { ClusterNode } from '../node/cluster-node.ts'
import { addSandbox, addService, Layout } from '../node/images.ts'
import { proveInside, startControlPlane } from '../node/inside.ts'
import { ADDRESS } from '../node/network.ts'
import { orPods } from '../node/objects.ts'
import { startKafkaAlone } from '../node/platform.ts'
import { drill } from './drill.ts'
import { addDatabaseImages, type DatabaseImages } from './images.ts'
import { ASKED, type Databases, databases, RESTORED, services } from './manifests.ts'
import { install, type Operators, operators } from './operators.ts'
import { pythonWithBarman } from './python.ts'

/** Host of the object store of the backups, beside the cluster. */
const OBJECT_STORE = `${ADDRESS}:9000`

/** @returns the archive of all images */
async function makeImages(folder: string, names: DatabaseImages): Promise<string> {
  const layout = new Layout(join(folder, 'images'))
  const node = addSandbox(layout, folder)
  for (const service of [RESTORED, ASKED]) addService(layout, service, { folder, node })
  await addDatabaseImages(layout, names, { folder, python: pythonWithBarman() })
  return layout.close()
}

async function startCluster(stack: Stack, folder: string, { images, image }: Operators & Databases) {
  const { plane, kubectl } = await startControlPlane(stack)
  const archive = await step('images are made', () => makeImages(folder, { ...images, postgres: image }))
  const node = new ClusterNode(folder, plane.access)
  await step('the node is ready', () => node.start(kubectl, archive))
  return kubectl
}

async function prove(stack: Stack, folder: string): Promise<boolean> {
  const secrets = secretsOf(stack.dir)
  const given = { ...(await operators()), ...(await databases(`http://${OBJECT_STORE}`)) }
  const logFile = join(stack.dir, 'object-store.log')
  await startObjectStore({ host: OBJECT_STORE, bucket: given.bucket, logFile, track: stack.track })
  const kubectl = await startCluster(stack, folder, given)
  return orPods(kubectl, async () => {
    const kafka = step('Kafka is up', () => startKafkaAlone(stack, ADDRESS, secrets))
    const ready = step('operator and plugin are ready', () => install(kubectl, given.objects))
    const [{ objects }] = await Promise.all([kafka, ready])
    const ofServices = await services()
    return drill(kubectl, {
      databases: given,
      services: ofServices,
      beside: objects,
      secrets: secretsFrom(stack.dir),
      folder,
    })
  })
}

await proveInside('--database', prove)
