// Where a Node.js process spends its CPU time, by V8's sampling profiler.
import { Inspector } from './inspector.ts'

/** Time between two samples, µs. */
const INTERVAL = 200

/** Part of a V8 profile that is read. */
export interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  /** Node of each sample. */
  samples: number[]
  /** µs before each sample. */
  timeDeltas: number[]
}

/** Shares of a process's busy time by the place where it was spent. Samples are taken by the clock. */
export type Shares = Record<string, number>

const IDLE = '(idle)'

/** Patterns of "function url", each with the name of the place; the first match counts. */
const PLACES: readonly [pattern: RegExp, nameOf: (found: RegExpExecArray) => string][] = [
  [/^\(garbage collector\)/, () => 'garbage collection'],
  // Functions of Node.js that hand bytes to the operating system, which then does the work of the network.
  [/^write\w* $/, () => 'writes to sockets'],
  [/ $/, () => 'native code of Node.js'],
  [/ node:/, () => 'Node.js: streams, sockets, HTTP, timers'],
  [/(?:apps|libs|@connectivity)\/([^/]+)\/dist\/([^/.]+)/, ([, project, folder]) => `ours: ${project}/${folder}`],
  [/.*node_modules\/((?:@[^/]+\/)?[^/]+)/, ([, dependency]) => String(dependency)],
]

/** Place of a function: a package, a part of Node.js, or a folder of ours. */
function placeOf({ functionName, url }: Profile['nodes'][number]['callFrame']): string {
  const name = `${functionName} ${url}`
  for (const [pattern, nameOf] of PLACES) {
    const found = pattern.exec(name)
    if (found) return nameOf(found)
  }
  return 'other'
}

/** Sums up the samples of each place, as shares of all that were not idle. */
export function sharesOf({ nodes, samples, timeDeltas }: Profile): Shares {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const spent: Shares = {}
  for (const [index, sample] of samples.entries()) {
    const frame = frames.get(sample)
    if (!frame || frame.functionName === IDLE) continue
    const place = placeOf(frame)
    spent[place] = (spent[place] ?? 0) + (timeDeltas[index] ?? 0)
  }
  const busy = Object.values(spent).reduce((sum, time) => sum + time, 0)
  return Object.fromEntries(Object.entries(spent).map(([place, time]) => [place, time / busy]))
}

/** Profiles a process during `work`. @returns where it spent its busy time */
export async function profiled(pid: number, work: () => Promise<unknown>): Promise<Shares> {
  const inspector = await Inspector.open(pid)
  await inspector.call('Profiler.enable')
  await inspector.call('Profiler.setSamplingInterval', { interval: INTERVAL })
  await inspector.call('Profiler.start')
  try {
    await work()
    const { profile } = (await inspector.call('Profiler.stop')) as { profile: Profile }
    return sharesOf(profile)
  } finally {
    await inspector.close()
  }
}
