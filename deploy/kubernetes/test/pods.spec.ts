import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import { manifestsBelow } from './manifests.js'

interface Workload {
  spec: { template: { spec: IPodSpec } }
}

const pods = [...manifestsBelow('base'), ...manifestsBelow('platform/redis')]
  .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
  .map(({ kind, metadata, object }) => ({
    name: `${kind} ${metadata.name}`,
    pod: (object as Workload).spec.template.spec,
  }))
const containers = pods.flatMap(({ name, pod }) =>
  [...(pod.initContainers ?? []), ...pod.containers].map((container) => ({
    name: `${name} ${container.name}`,
    container,
  })),
)
const services = pods.filter(({ name, pod }) => name.startsWith('Deployment') && pod.serviceAccountName !== undefined)

describe('pods', () => {
  it('are those of five services, their migrations, the topics and an example', () => {
    expect(pods).toHaveLength(5 + 5 + 1 + 1)
    expect(services).toHaveLength(5)
  })

  it.each(pods)('$name runs without root and without a token', ({ pod }) => {
    expect(pod.automountServiceAccountToken).toBe(false)
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
  })

  it.each(containers)('$name cannot gain rights or write to its image, and has a memory limit', ({ container }) => {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container.resources!.limits!.memory).toBeDefined()
    expect(container.resources!.requests!.cpu).toBeDefined()
  })

  it.each(services)('$name waits for its migrations, is probed, and has time to stop', ({ pod }) => {
    expect(pod.initContainers![0]!.command).toEqual(['node', 'app/dist/migrate.js', '--wait'])
    const { startupProbe, readinessProbe, livenessProbe, lifecycle } = pod.containers[0]!
    const paths = [startupProbe, readinessProbe, livenessProbe].map((probe) => probe!.httpGet!.path)
    expect(paths).toEqual(['/health/live', '/health/ready', '/health/live'])
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(lifecycle!.preStop!.sleep!.seconds + 10)
    expect(pod.topologySpreadConstraints).toHaveLength(2)
  })

  it.each(services)('$name gets the name of its pod as its instance name', ({ pod }) => {
    const name = pod.containers[0]!.env!.find((variable) => variable.name === 'INSTANCE_NAME')
    expect(name!.valueFrom).toEqual({ fieldRef: { fieldPath: 'metadata.name' } })
  })
})
