import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { checks } from './checks.ts'
import { connectionsFor, instancesWith } from './connections.ts'
import { day } from './day.ts'
import { inOrder } from './limits.ts'
import { services, settingsOf } from '@connectivity/toolkit/manifest-settings'
import { memoryFor, memoryFull, memoryOf, memoryOfWaiting } from './memory.ts'
import { measured } from './measured.ts'
import { coresOfParts, instancesFor, workOf } from './model.ts'
import { bytes, tables } from './page.ts'
import { raised } from './raise.ts'

const ROOT = join(import.meta.dirname, '../../..')
const squeezed = (text: string): string => text.replaceAll(/[-: ]+/g, ' ')

describe('the capacity model', () => {
  it.each(checks())('predicts $name within 20 % of what was measured', ({ measured, predicted }) => {
    expect(Math.abs(predicted / measured - 1)).toBeLessThan(0.2)
  })

  it('grows with the connections, and with the work of a day', () => {
    const [one, two] = [1_000, 2_000].map((connections) => coresOfParts(workOf(connections, day)))
    for (const [part, cores] of Object.entries(one!)) expect(two![part as keyof typeof two]).toBeCloseTo(2 * cores, 10)
    const busier = coresOfParts(workOf(1_000, { ...day, ariCalls: 2 * day.ariCalls }))
    expect(busier.ari).toBeCloseTo(2 * one!.ari, 10)
    expect(busier['event-dispatch']).toBe(one!['event-dispatch'])
  })

  it('never plans with fewer than two instances of a service', () => {
    expect(instancesFor(0.01)).toBe(2)
    expect(instancesFor(1.9)).toBe(4)
  })

  it('orders parts by the number of connections at which they are full', () => {
    const connections = inOrder(day).map((full) => full.connections)
    expect(connections).toEqual([...connections].sort((a, b) => a - b))
  })

  it.each(services)('gives %s the memory that it had with 10,500 connections', (service) => {
    const none = { ...day, waiting: 0 }
    const { also } = measured('scale', 'memory at rest', service)
    const most = Math.max(also['with all, MB']!, also['after 500, MB']!) * 1e6
    expect(memoryFor(service, 10_500, none)).toBeCloseTo(most, -1)
  })

  it('divides waiting requests among the gateways, but not copies of connections', () => {
    const [none, some] = [
      { ...day, waiting: 0 },
      { ...day, waiting: 0.1 },
    ]
    const waiting = (connections: number) =>
      memoryFor('gateway', connections, some) - memoryFor('gateway', connections, none)
    expect(waiting(30_000)).toBeCloseTo((0.1 * 30_000 * memoryOfWaiting()) / 2, 0)
    expect(memoryFor('catalog', 1e6, some)).toBe(memoryFor('catalog', 1e6, none))
    expect(memoryFor('catalog', 1e6, day) - memoryOf('catalog').atRest).toBeCloseTo(
      1e6 * memoryOf('catalog').connection,
      0,
    )
  })

  it.each(services)('shows when the memory limit of %s is reached', (service) => {
    const { limit } = memoryFull(service, day)
    const { memory } = settingsOf(service)
    if (memoryOf(service).connection === 0) expect(limit).toBe(Infinity)
    else {
      expect(memoryFor(service, limit, day)).toBeGreaterThanOrEqual(memory)
      expect(memoryFor(service, limit - 2, day)).toBeLessThan(memory)
    }
  })

  it('finds memory full before CPU', () => {
    expect(inOrder(day)[0]).toMatchObject({ resource: 'memory' })
  })

  it('lists exactly the settings that must be raised', () => {
    const nothing = raised(day, [100])
    expect(nothing).toEqual([])
    const needed = Object.fromEntries(raised(day, [1e6]).map(({ name, needs }) => [name, needs(1e6)]))
    const instances = instancesFor(coresOfParts(workOf(1e6, day)).gateway)
    expect(needed['gateway: `maxReplicas`']).toBe(instances)
    expect(needed['gateway: `max_connections`']).toBe(connectionsFor(instances))
    for (const service of ['gateway', 'catalog', 'reservation-feed', 'event-dispatch'] as const)
      expect(needed[`${service}: memory limit`]! * 2 ** 20 * 0.8).toBeGreaterThan(memoryFor(service, 1e6, day))
  })

  it.each(services)('lets every instance of %s connect to its database', (service) => {
    const { maxConnections, maxReplicas } = settingsOf(service)
    expect(maxConnections).toBeGreaterThanOrEqual(connectionsFor(maxReplicas))
  })

  it('counts the connections of one more instance during a roll-out', () => {
    expect(instancesWith(connectionsFor(12))).toBe(12)
    expect(instancesWith(connectionsFor(12) - 1)).toBe(11)
  })

  it('equals the page', () => {
    const page = readFileSync(join(ROOT, 'docs/operations/capacity.md'), 'utf8')
    expect(squeezed(page)).toContain(squeezed(tables().trim()))
  })

  it('writes bytes to two digits', () => {
    expect([bytes(999), bytes(41_031), bytes(2.5e12)]).toEqual(['1,000 B', '41 KB', '2.5 TB'])
  })

  it.each([
    ['reservation-feed', 10_000, 30_000],
    ['event-dispatch', 3_000, 10_000],
  ])('agrees with the threshold of lag by which KEDA scales %s', (name, least, most) => {
    const text = readFileSync(join(ROOT, 'deploy/kubernetes/components/keda/scaling.yaml'), 'utf8')
    const scaled = text.split('---').map((one) => parse(one) as { metadata: { name: string }; spec: { triggers: { metadata: { lagThreshold?: string } }[] } }) // prettier-ignore
    const { spec } = scaled.find(({ metadata }) => metadata.name === name)!
    expect(Number(spec.triggers[0]!.metadata.lagThreshold)).toBeGreaterThanOrEqual(least)
    expect(Number(spec.triggers[0]!.metadata.lagThreshold)).toBeLessThanOrEqual(most)
  })
})
