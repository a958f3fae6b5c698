import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { eventually } from './eventually.js'
import { writeSuiteLog } from './suite-log.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Ends the process when the test run that started it has ended, also after a crash. */
const KEEPER = `data:text/javascript,setInterval(()=>process.ppid===${process.pid}||process.exit(1),500).unref()`

/** One built service as a separate process, which a test may kill and start again. */
export class ServiceProcess {
  /** Everything the process has written so far, down to level debug. */
  log = ''
  private child: ChildProcess | undefined

  /**
   * @param app folder under `apps`; `npm test` has built it
   * @param preloaded modules that run in the process before the service's own
   */
  constructor(
    private readonly app: string,
    readonly port: number,
    private readonly env: Record<string, string>,
    private readonly preloaded: readonly string[] = [],
  ) {}

  /** Processes of one database form one consumer group, separate from those of other tests on the same broker. */
  private get groupSuffix(): string {
    return `-${new URL(this.env.DATABASE_URL!).pathname.slice(1)}`
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Pid of the process that was started last. */
  get pid(): number {
    return this.child!.pid!
  }

  /** Exit code of the process that ended last; null when a signal ended it. */
  get exitCode(): number | null {
    return this.child?.exitCode ?? null
  }

  /**
   * Starts the process and waits until it is ready.
   * @throws Error as soon as the process ends, or when it takes too long
   */
  async start(): Promise<void> {
    const own = { HOST: '127.0.0.1', PORT: String(this.port), LOG_LEVEL: 'debug', KAFKA_GROUP_SUFFIX: this.groupSuffix }
    const env = { ...process.env, ...this.env, ...own }
    const imports = [KEEPER, ...this.preloaded].flatMap((module) => ['--import', module])
    this.child = spawn(process.execPath, ['--enable-source-maps', ...imports, `apps/${this.app}/dist/main.js`], {
      cwd: ROOT,
      env: { ...env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const output of [this.child.stdout!, this.child.stderr!]) {
      createInterface(output).on('line', (line) => this.note(line))
    }
    const { child } = this
    const end = await eventually(() => this.outcome(child))
    if (end !== null) throw new Error(`${this.app} ended with ${end} before it was ready`)
  }

  /** kill -9, at once. */
  async kill(): Promise<void> {
    await this.end('SIGKILL')
  }

  /** An orderly stop. */
  async stop(): Promise<void> {
    await this.end('SIGTERM')
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    // Not `exit`: its output must be read to the end.
    const ended = once(child, 'close')
    child.kill(signal)
    await ended
  }

  private note(line: string): void {
    this.log += `${line}\n`
    writeSuiteLog(`${this.app}: ${line}`)
  }

  /**
   * @returns null once the process is ready, else how it ended
   * @throws Error while it is starting
   */
  private async outcome({ exitCode, signalCode }: ChildProcess): Promise<string | null> {
    if (exitCode !== null || signalCode !== null) return signalCode ?? `exit code ${exitCode}`
    const { status } = await fetch(`${this.url}/health/ready`)
    if (status === 200) return null
    throw new Error(`${this.app} is not ready: ${status}`)
  }
}
