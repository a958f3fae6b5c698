// Runs the programs that generate and compile clients.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Refusal } from '../../deploy/local/bootstrap/machine/refusal.mjs'

/** Longest output of a program, bytes. */
const MOST_OUTPUT = 64 * 1024 * 1024
/** End of a failed program's output that is shown, characters. */
const SHOWN = 4_000

interface Options {
  cwd?: string
  env?: NodeJS.ProcessEnv
}

/** Output of a program that has failed. */
interface Failure {
  stdout: string
  stderr: string
  message: string
}

/** Runs a program to its end. @returns its standard output @throws Refusal with the end of its output */
export async function runProgram(program: string, args: readonly string[], options: Options = {}): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { ...options, maxBuffer: MOST_OUTPUT })
    return stdout
  } catch (error) {
    const { stdout, stderr, message } = error as Failure
    const output = `${stdout}\n${stderr}`.trim() || message
    throw new Refusal(`${program} ${args.slice(0, 3).join(' ')} … failed:\n${output.slice(-SHOWN)}`)
  }
}
