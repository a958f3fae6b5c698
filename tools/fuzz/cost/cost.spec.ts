import { spawn } from 'node:child_process'
import { eventually } from '@connectivity/testing/eventually'
import { CPU_BOUND, CpuMeter, highest } from './bound.ts'
import { growths, MEMORY_BOUND } from './memory.ts'
import { Processes } from './processes.ts'

const used = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Uses so many milliseconds of CPU time. */
const spin = (ms: number) => {
  const from = used()
  while (used() - from < ms);
}

describe('CPU time of an input', () => {
  const processes = new Processes({ self: process.pid })
  const meter = new CpuMeter(processes, ['self'])
  const nothing = () => Promise.resolve()

  it('is CPU time of its process, not elapsed time', async () => {
    const cost = await meter.of(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      spin(30)
    })
    expect(cost.self).toBeGreaterThanOrEqual(30)
    // Garbage collection of the suites before may run beside the first tries.
    await eventually(async () => {
      const idle = await meter.of(() => new Promise((resolve) => setTimeout(resolve, 200)))
      expect(idle.self).toBeLessThan(100)
    })
  })

  it('counts child processes, as PostgreSQL has them', async () => {
    const child = spawn(process.execPath, ['-e', 'for (const end = Date.now() + 10_000; Date.now() < end;);'])
    try {
      const before = { own: used(), all: processes.cpu() }
      await eventually(async () => {
        const own = used() - before.own
        expect(processes.cpuSince(before.all).self! - own).toBeGreaterThan(50)
      })
    } finally {
      child.kill()
    }
  })

  it('is the best of several tries', async () => {
    const costs = [CPU_BOUND * 2, CPU_BOUND * 2, 0, CPU_BOUND * 2]
    const cost = await meter.costOf(nothing, async () => spin(costs.shift()!))
    expect(cost.ms).toBeLessThan(CPU_BOUND)
    expect(costs).toHaveLength(1)
  })

  it('stays above the bound for an input that costs more every time, and needs one try when nothing else explains it', async () => {
    let tries = 0
    const cost = await meter.costOf(nothing, async () => {
      tries += 1
      spin(CPU_BOUND * 11)
    })
    expect(cost.ms).toBeGreaterThan(CPU_BOUND)
    expect(tries).toBe(1)
  })

  it('is charged to the process that it costs most', () => {
    expect(highest({ gateway: 3, ari: 7, catalog: 5 })).toEqual({ process: 'ari', ms: 7 })
  })
})

describe('growth of memory', () => {
  const samples = (at: (n: number) => number) =>
    Array.from({ length: 60 }, (_, n) => ({ gateway: at(n), kafka: at(n) }))
  const growing = (at: (n: number) => number) =>
    growths(samples(at), ['gateway'])
      .filter(({ grows }) => grows)
      .map(({ process }) => process)

  it('does not count the warm-up', () => {
    expect(growing((n) => (n < 20 ? n * 20 : 400))).toEqual([])
  })

  it('does not count memory that is released', () => {
    expect(growing((n) => 100 + (n % 4) * 50)).toEqual([])
  })

  it('counts a service that keeps more than the bound, and no other process', () => {
    expect(growing((n) => 100 + (n * MEMORY_BOUND) / 20)).toEqual(['gateway'])
  })
})
