import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { checks } from './checks.ts'
import { day } from './day.ts'
import { inOrder } from './limits.ts'
import { coresOfParts, instancesFor, workOf } from './model.ts'
import { bytes, tables } from './page.ts'

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

  it('orders parts by what is full first', () => {
    const connections = inOrder(day).map((full) => full.connections)
    expect(connections).toEqual([...connections].sort((a, b) => a - b))
  })

  it('is what the page shows', () => {
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
