// Runs in the namespaces of isolated.ts, with a folder for everything that it writes: starts a whole cluster with one
// node, brings the services of `overlays/local` up on it, replaces their pods under load, and judges what partners saw.
import { randomInt } from 'node:crypto'
import { isClean } from '../../../../tools/faults/check/check.ts'
import { report } from '../../../../tools/faults/report.ts'
import { runFaultsOn } from '../../../../tools/faults/run.ts'
import { say, step } from '../../../local/bootstrap/machine/progress.mjs'
import type { Stack } from '../../../local/bootstrap/processes/stack.mjs'
import { operatorTokens } from '../../../local/demo/operator-token.ts'
import { services } from '../../../local/services/names.ts'
import { secretsOf } from '../../../local/services/secrets.ts'
import { NAMESPACE } from '../config.ts'
import type { Kubectl } from '../kubectl.ts'
import { built } from '../overlays.ts'
import { runCommandsOfNodes } from '../runbooks.ts'
import { secretsFrom } from '../secrets.ts'
import { ClusterNode } from './cluster-node.ts'
import { makeImages } from './images.ts'
import { proveInside, startControlPlane } from './inside.ts'
import { ADDRESS, setHosts } from './network.ts'
import { type KubernetesObject, list, objectsIn, orPods } from './objects.ts'
import { startPlatform } from './platform.ts'
import { Cluster, disruptions } from './roll-outs.ts'

/** Groups of the kinds that Kubernetes itself has; the others belong to operators, which do not run here. */
const OWN_KINDS = /^(v1|(apps|batch|policy|autoscaling)\/.*|.*\.k8s\.io\/.*)$/

/**
 * The objects of `overlays/local` without those of operators and of Valkey, for which the platform beside the cluster
 * stands in. Callbacks may go to the receiver of this run, which production refuses.
 */
async function servicesOfOverlay(): Promise<KubernetesObject[]> {
  const all = objectsIn(await built(['overlays/local']))
  const own = all.filter(({ apiVersion, metadata: { name } }) => OWN_KINDS.test(apiVersion) && name !== 'redis')
  const dispatch = own.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('event-dispatch'))
  Object.assign(dispatch!.data!, { NODE_ENV: 'test', CALLBACK_ALLOW: `${ADDRESS}/32` })
  return own
}

/** Applies everything and waits until two pods of each service are ready. */
async function bringUpServices(kubectl: Kubectl, objects: readonly object[], secrets: string): Promise<void> {
  for (const name of [NAMESPACE, 'kafka']) kubectl.must(['create', 'namespace', name, '--save-config'])
  kubectl.must(['apply', '--filename', '-'], secrets)
  kubectl.must(['apply', '--filename', '-'], list(objects))
  kubectl.must(['apply', '--validate=strict', '--filename', '-'], list(await servicesOfOverlay()))
  const inNamespace = ['--namespace', NAMESPACE]
  const allReady = () => {
    for (const { name } of services)
      kubectl.must(['rollout', 'status', `deployment/${name}`, '--timeout=170s', ...inNamespace])
  }
  allReady()
  kubectl.must(['scale', 'deployment', '--all', '--replicas=2', ...inNamespace])
  allReady()
}

/** Address of a service in the cluster. */
const addressOf = (kubectl: Kubectl, service: string): string =>
  kubectl.must(['get', 'service', service, '--namespace', NAMESPACE, '--output=jsonpath={.spec.clusterIP}'])

async function prove(stack: Stack, folder: string): Promise<boolean> {
  const secrets = secretsOf(stack.dir)
  const { plane, kubectl } = await startControlPlane(stack)
  const images = await step('images of the services are made', async () => makeImages(folder))
  const platform = await step('PostgreSQL, Redis and Kafka are up', () => startPlatform(stack, ADDRESS, secrets))
  const node = new ClusterNode(folder, plane.access)
  await step('the node is ready', () => node.start(kubectl, images))
  await orPods(kubectl, () =>
    step('two pods of each service are ready', () =>
      bringUpServices(kubectl, platform.objects, secretsFrom(stack.dir)),
    ),
  )
  setHosts(folder, { gateway: addressOf(kubectl, 'gateway'), 'gateway-private': addressOf(kubectl, 'gateway-private') })
  const cluster = new Cluster(kubectl, {
    baseUrl: 'http://gateway:8080',
    brokers: platform.brokers,
    ops: { baseUrl: 'http://gateway-private:8081/ops/v1', token: operatorTokens(secrets).token },
    callbackAddress: ADDRESS,
  })
  const result = await runFaultsOn(cluster, { seed: randomInt(2 ** 31), faults: disruptions, isShort: false })
  process.stdout.write(report(result))
  const commands = runCommandsOfNodes(kubectl)
  say(`kubectl lines of the runbooks that need a node: ${commands.run} run, ${commands.failed.length} failed`)
  for (const line of commands.failed) process.stdout.write(`          ${line}\n`)
  return isClean(result.found) && commands.run > 0 && commands.failed.length === 0
}

await proveInside('--node', prove)
