import { setTimeout as sleep } from 'node:timers/promises'

/** Most CPU time that one request may take at a time, ms, on a machine that takes 20 ms for the reference. */
export const MAX_CPU = 50
/** The same as a multiple of the reference: on a busy or virtual machine every instruction takes longer. */
const MAX_RATIO = 2.5
/** Most garbage that one request may leave on the heap, bytes. */
export const MAX_HEAP = 64 * 1024 * 1024
/** Time for which work is tried again, ms: the first try runs uncompiled. */
const TRIED_FOR = 15_000
const PAUSE = 50

/** Cost of some work, and its outcome. */
export interface Cost<T> {
  /** CPU time, ms. */
  cpu: number
  /** Growth of the heap, bytes. */
  heap: number
  outcome: T
}

function costOf<T>(work: () => T): Cost<T> {
  const heapBefore = process.memoryUsage().heapUsed
  const before = process.threadCpuUsage()
  const outcome = work()
  const { user, system } = process.threadCpuUsage(before)
  return { cpu: (user + system) / 1_000, heap: process.memoryUsage().heapUsed - heapBefore, outcome }
}

const megabyte = `[${Array(190_000).fill('"x"').join(',')}]`
/** Reference work of about 20 ms of CPU: more than the clock's granularity of 4 ms. */
const parseFiveTimes = (): void => {
  for (let count = 0; count < 5; count++) JSON.parse(megabyte)
}

/**
 * Cost of a try; above `MAX_CPU`, `cpu` is scaled to the machine of `MAX_CPU` by the reference, measured right after.
 */
function scaledCostOf<T>(work: () => T): Cost<T> {
  const cost = costOf(work)
  if (cost.cpu <= MAX_CPU) return cost
  const reference = costOf(parseFiveTimes).cpu
  return { ...cost, cpu: Math.min(cost.cpu, (cost.cpu / reference / MAX_RATIO) * MAX_CPU) }
}

/** Measures synchronous work: the cheapest of as many tries as it takes to stay within both bounds. */
export async function leastCostOf<T>(work: () => T): Promise<Cost<T>> {
  const end = Date.now() + TRIED_FOR
  let least = scaledCostOf(work)
  for (; (least.cpu > MAX_CPU || least.heap > MAX_HEAP) && Date.now() < end; await sleep(PAUSE)) {
    const { cpu, heap } = scaledCostOf(work)
    least = { ...least, cpu: Math.min(least.cpu, cpu), heap: Math.min(least.heap, heap) }
  }
  return least
}
