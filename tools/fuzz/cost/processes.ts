// CPU time and memory of the stack's processes, from /proc.
import { readdirSync, readFileSync } from 'node:fs'

const NANOSECONDS_PER_MS = 1e6
const KIB_PER_MIB = 1024

/** Milliseconds or MiB by name of the process. */
export type Amounts = Record<string, number>

/** The result; `fallback` when the process or thread has ended. */
function unlessGone<T>(read: () => T, fallback: T): T {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return fallback
    throw error
  }
}

const childrenOf = (pid: number): number[] =>
  unlessGone(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1'), '')
    .split(' ')
    .filter((text) => text !== '')
    .map(Number)

/** PostgreSQL has a process for each session, children of the first one. */
const withChildren = (pid: number): number[] => [pid, ...childrenOf(pid)]

/** Time on a CPU by thread, in nanoseconds: the first figure of schedstat, without the time spent waiting for a CPU. */
function threadTimes(pids: readonly number[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const pid of pids) {
    for (const thread of unlessGone(() => readdirSync(`/proc/${pid}/task`), [])) {
      const text = unlessGone(() => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1'), '0')
      times.set(`${pid}/${thread}`, Number(text.split(' ', 1)[0]))
    }
  }
  return times
}

/** Anonymous resident memory: the memory of the process itself, without mapped files and shared buffers. */
function memoryOf(pid: number): number {
  const text = unlessGone(() => readFileSync(`/proc/${pid}/status`, 'latin1'), '')
  return Number(/^RssAnon:\s+(\d+)/m.exec(text)?.[1] ?? 0) / KIB_PER_MIB
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0)

/** CPU times of all threads of all processes at one moment. */
export type CpuReading = Record<string, Map<string, number>>

/** Reads CPU time and memory of processes and their children. Linux only. */
export class Processes {
  private readonly pids: Record<string, number>

  /** @param pids by name */
  constructor(pids: Record<string, number>) {
    this.pids = pids
  }

  cpu(): CpuReading {
    return this.each((pids) => threadTimes(pids))
  }

  /** CPU time since an earlier reading, in ms. Threads that have ended since do not count. */
  cpuSince(earlier: CpuReading): Amounts {
    return this.each((pids, name) => {
      const times = [...threadTimes(pids)].map(([thread, time]) => time - (earlier[name]!.get(thread) ?? 0))
      return sum(times) / NANOSECONDS_PER_MS
    })
  }

  /** Memory in MiB. */
  memory(): Amounts {
    return this.each((pids) => sum(pids.map(memoryOf)))
  }

  private each<T>(read: (pids: number[], name: string) => T): Record<string, T> {
    return Object.fromEntries(Object.entries(this.pids).map(([name, pid]) => [name, read(withChildren(pid), name)]))
  }
}
