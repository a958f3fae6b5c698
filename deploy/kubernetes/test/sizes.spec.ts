import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IJob } from 'kubernetes-models/batch/v1/Job'
import type { IResourceQuota } from 'kubernetes-models/v1/ResourceQuota'
import { type Service, settingsOf } from '@connectivity/toolkit/manifest-settings'
import { manifestsBelow, ofKind } from './manifests.js'
import { type Amount, amountOf } from '@connectivity/toolkit/amounts'

interface Cluster {
  metadata: { name: string }
  spec: {
    instances: number
    resources: { requests: Record<string, string>; limits: Record<string, string> }
  }
}

const base = manifestsBelow('base')
const deployments = ofKind<IDeployment>(base, 'Deployment')
const jobs = ofKind<IJob>(base, 'Job')
const allClusters = ofKind<Cluster>(manifestsBelow('platform/postgres'), 'Cluster')
const isRestored = ({ metadata }: Cluster): boolean => metadata.name.endsWith('-restored')
const clusters = allClusters.filter((cluster) => !isRestored(cluster))

/** Most pods of a service: the larger maximum of its autoscalers (KEDA's too), and one more during a roll-out. */
const podsOf = (service: string): number => settingsOf(service as Service).maxReplicas + 1

describe('sizes', () => {
  it('of the restore example equal those of the database it replaces, with its zones and roles', () => {
    const restored = allClusters.find(isRestored)!
    const replaced = clusters.find(({ metadata }) => restored.metadata.name === `${metadata.name}-restored`)!
    expect(restored.spec).toEqual({
      ...replaced.spec,
      bootstrap: expect.any(Object),
      externalClusters: expect.any(Array),
      plugins: expect.any(Array),
    })
  })

  it('of deploy steps are at most 10m of CPU; the steps have priority and are deleted after a week', () => {
    expect(jobs).toHaveLength(6)
    for (const { spec } of jobs) {
      const { requests } = spec!.template.spec!.containers[0]!.resources!
      expect(amountOf(requests!.cpu as string)).toBeLessThanOrEqual(amountOf('10m'))
      expect(spec!.template.spec!.priorityClassName).toBe('partner-connectivity-deploy-step')
      expect(spec!.ttlSecondsAfterFinished).toBe(7 * 24 * 3600)
    }
  })

  it('of the quota cover every pod at the largest scale, but not twice that', () => {
    const [quota] = ofKind<IResourceQuota>(manifestsBelow('components/quota'), 'ResourceQuota')
    const hard = quota!.spec!.hard as Record<string, string>
    const total = (kind: 'requests' | 'limits', resource: string): number => {
      const amount = (resources: unknown): number => {
        const given = (resources as Record<string, Record<string, Amount> | undefined>)[kind]?.[resource]
        return given === undefined ? 0 : amountOf(given)
      }
      const services = deployments.map(
        ({ metadata, spec }) =>
          podsOf(metadata!.name!) * amount(spec!.template.spec!.containers[0]!.resources as unknown),
      )
      const steps = jobs.map(({ spec }) => amount(spec!.template.spec!.containers[0]!.resources as unknown))
      const databases = clusters.map(({ spec }) => spec.instances * amount(spec.resources))
      return [...services, ...steps, ...databases].reduce((sum, part) => sum + part, 0)
    }
    for (const [kind, resource] of [
      ['requests', 'cpu'],
      ['requests', 'memory'],
      ['limits', 'memory'],
    ] as const) {
      const needed = total(kind, resource)
      expect(amountOf(hard[`${kind}.${resource}`]!)).toBeGreaterThanOrEqual(needed)
      expect(amountOf(hard[`${kind}.${resource}`]!)).toBeLessThan(2 * needed)
    }
  })
})
