// Where a Node.js process spends its CPU time, by V8's sampling profiler over the inspector's protocol.
import { setTimeout as delay } from 'node:timers/promises'

/** The inspector's default address, opened by SIGUSR1; one process at a time can have it. */
const INSPECTOR = 'http://127.0.0.1:9229/json/list'
const ATTEMPTS = 50
const PAUSE = 100
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

/**
 * Shares of a process's busy time by the place where it was spent. Samples are taken by the clock, so a write to a socket
 * includes the time for which the kernel lets the process that it woke run first.
 */
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

/** A session with a process's inspector. */
class Inspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: unknown) => void>()
  #last = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown }
      this.#waiting.get(id)?.(result)
    })
  }

  /** Makes the process open its inspector, and connects to it. */
  static async open(pid: number): Promise<Inspector> {
    process.kill(pid, 'SIGUSR1')
    const socket = new WebSocket(await addressOfInspector())
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true })
      socket.addEventListener('error', () => reject(new Error('the inspector refused the connection')), { once: true })
    })
    return new Inspector(socket)
  }

  call(method: string, params: object = {}): Promise<unknown> {
    return new Promise((resolve) => {
      this.#last += 1
      this.#waiting.set(this.#last, resolve)
      this.#socket.send(JSON.stringify({ id: this.#last, method, params }))
    })
  }

  /** Makes the process close its inspector, which leaves the address to another one and answers nothing. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#socket.addEventListener('close', resolve, { once: true }))
    void this.call('Runtime.evaluate', { expression: "process.getBuiltinModule('node:inspector').close()" })
    await closed
  }
}

async function addressOfInspector(): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await fetch(INSPECTOR).catch(() => null)
    const [target] = answer ? ((await answer.json()) as { webSocketDebuggerUrl: string }[]) : []
    if (target) return target.webSocketDebuggerUrl
    await delay(PAUSE)
  }
  throw new Error(`no inspector at ${INSPECTOR}; end the process that uses its port`)
}

/** Profiles a process during `work`. @returns where it spent its busy time */
export async function profiled(pid: number, work: () => Promise<unknown>): Promise<Shares> {
  const inspector = await Inspector.open(pid)
  await inspector.call('Profiler.enable')
  await inspector.call('Profiler.setSamplingInterval', { interval: INTERVAL })
  await inspector.call('Profiler.start')
  await work()
  const { profile } = (await inspector.call('Profiler.stop')) as { profile: Profile }
  await inspector.close()
  return sharesOf(profile)
}
