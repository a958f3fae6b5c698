// V8's inspector of a Node.js process on this machine.
import { setTimeout as delay } from 'node:timers/promises'

/** The inspector's default address, opened by SIGUSR1; one process at a time can have it. */
const INSPECTOR = 'http://127.0.0.1:9229/json/list'
const ATTEMPTS = 50
const PAUSE = 100

/** Answer to a call of the inspector. */
interface InspectorAnswer {
  id: number
  result: unknown
  error?: { message: string }
}

/** A session with a process's inspector. */
export class Inspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #last = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#answered(JSON.parse(String(data)) as InspectorAnswer))
    socket.addEventListener('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the inspector has closed the connection'))
    })
  }

  /**
   * Makes the process open its inspector, and connects to it.
   * @throws if another process has the address
   */
  static async open(pid: number): Promise<Inspector> {
    process.kill(pid, 'SIGUSR1')
    const socket = new WebSocket(await addressOfInspector())
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true })
      socket.addEventListener('error', () => reject(new Error('the inspector refused the connection')), { once: true })
    })
    const inspector = new Inspector(socket)
    const { result } = (await inspector.call('Runtime.evaluate', { expression: 'process.pid' })) as {
      result: { value: number }
    }
    if (result.value !== pid) throw new Error(`process ${result.value} has the inspector at ${INSPECTOR}; end it`)
    return inspector
  }

  /** @throws the inspector's error, or an error when the process closes the connection */
  call(method: string, params: object = {}): Promise<unknown> {
    const waiting = Promise.withResolvers<unknown>()
    this.#last += 1
    this.#waiting.set(this.#last, waiting)
    this.#socket.send(JSON.stringify({ id: this.#last, method, params }))
    return waiting.promise
  }

  /** Makes the process close its inspector, which leaves the address to another one and answers nothing. */
  async close(): Promise<void> {
    const expression = "process.getBuiltinModule('node:inspector').close()"
    await this.call('Runtime.evaluate', { expression }).catch(() => undefined)
  }

  #answered({ id, result, error }: InspectorAnswer): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(new Error(error.message))
    else waiting?.resolve(result)
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
