// V8's inspector of a Node.js process on this machine.
import { setTimeout as delay } from 'node:timers/promises'

/** The inspector's default address, opened by SIGUSR1; one process at a time can have it. */
const INSPECTOR = 'http://127.0.0.1:9229/json/list'
const ATTEMPTS = 50
const PAUSE = 100

/** A session with a process's inspector. */
export class Inspector {
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

/** Makes a process collect its garbage, so that what is left is in use. */
export async function collectGarbage(pid: number): Promise<void> {
  const inspector = await Inspector.open(pid)
  await inspector.call('HeapProfiler.collectGarbage')
  await inspector.close()
}
