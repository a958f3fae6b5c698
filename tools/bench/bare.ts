// Bare processes that a benchmark compares the system with; they end with its work.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { environmentWith } from '@connectivity/toolkit/config'

/** A bare process that listens. */
interface Bare {
  pid: number | undefined
  origin: string
}

/** Starts the program, which tells its port by `serve` of forked.ts. */
type StartBare = (program: URL, env: Record<string, string>) => Promise<Bare>

/** Runs `work`, then ends every process that it has started. */
export async function withBareProcesses<T>(work: (start: StartBare) => Promise<T>): Promise<T> {
  const children: ChildProcess[] = []
  const start: StartBare = async (program, env) => {
    const child = fork(fileURLToPath(program), { env: environmentWith(env) })
    children.push(child)
    const [port] = (await once(child, 'message')) as [number]
    return { pid: child.pid, origin: `http://127.0.0.1:${port}` }
  }
  try {
    return await work(start)
  } finally {
    for (const child of children) child.kill()
  }
}
