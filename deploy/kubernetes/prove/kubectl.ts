// kubectl against the control plane.
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { kubectlEnvironment, root } from './config.ts'

const MAX_OUTPUT = 64 * 1024 * 1024
const LIMIT = 180_000
/** Limit of an asynchronous command, ms: a roll-out may take long. */
const LONG_LIMIT = 330_000

const execute = promisify(execFile)

/** Result of a command. */
export interface Answer {
  isGood: boolean
  stdout: string
  /** Lines of the error output: refusals and warnings. */
  errorLines: string[]
}

/** The fields of a pod that are used here. */
export interface Pod {
  metadata: { name: string; deletionTimestamp?: string }
}

/** Name of a pod that is not ending. */
export const nameOfLivingPod = (pods: readonly Pod[]): string =>
  pods.find(({ metadata }) => metadata.deletionTimestamp === undefined)!.metadata.name

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

export class Kubectl {
  private readonly env: NodeJS.ProcessEnv

  constructor(kubeconfig: string, programs: string) {
    this.env = kubectlEnvironment(kubeconfig, programs)
  }

  /** Runs a program with kubectl's environment in the repository's root folder. */
  private run(file: string, args: readonly string[], input = ''): Answer {
    const options = {
      env: this.env,
      cwd: root,
      input,
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT,
      timeout: LIMIT,
    } as const
    const { status, stdout, stderr } = spawnSync(file, args, options)
    return { isGood: status === 0, stdout, errorLines: linesOf(stderr) }
  }

  call(args: readonly string[], input?: string): Answer {
    return this.run('kubectl', args, input)
  }

  succeeds(args: readonly string[]): boolean {
    return this.call(args).isGood
  }

  /** @throws Error with kubectl's error output */
  must(args: readonly string[], input?: string): string {
    const { isGood, stdout, errorLines } = this.call(args, input)
    if (!isGood) throw new Error(`kubectl ${args.join(' ')}: ${errorLines.join('\n')}`)
    return stdout
  }

  /**
   * Like `must`, but asynchronous.
   * @throws Error with kubectl's error output
   */
  async later(args: readonly string[], input = ''): Promise<string> {
    const running = execute('kubectl', args, { env: this.env, cwd: root, maxBuffer: MAX_OUTPUT, timeout: LONG_LIMIT })
    running.child.stdin!.end(input)
    return (await running).stdout
  }

  /** Runs lines as a person would paste them; they fail when any command of them fails. */
  paste(lines: string, input?: string): Answer {
    return this.run('bash', ['-e', '-o', 'pipefail', '-c', lines], input)
  }

  /** Applies manifests; unknown and repeated fields are refused. */
  apply(manifests: string): Answer {
    return this.call(['apply', '--validate=strict', '--filename', '-'], manifests)
  }

  /** The objects that `get` finds. */
  list<T>(args: readonly string[]): T[] {
    return (JSON.parse(this.must(['get', ...args, '--output=json'])) as { items: T[] }).items
  }
}
