// This machine's Docker: the `docker` command in the PATH and its engine.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { childEnvironment, root } from '../../local/bootstrap/config.mjs'
import { Refusal } from '../../local/bootstrap/machine/refusal.mjs'

const INSTALL = 'install Docker 25 or newer with Compose 2.24 or newer (https://docs.docker.com/engine/install)'
const ANSWERS_WITHIN = 30_000
const HALF_AN_HOUR = 1_800_000

const exitCodeOf = (args: string[]): number | null => spawnSync('docker', args, { timeout: ANSWERS_WITHIN }).status

/** Refuses when the docker command, the engine or the compose plugin is missing. */
export function checkDocker(): void {
  if (exitCodeOf(['--version']) !== 0) throw new Refusal(`The docker command is missing: ${INSTALL}.`)
  if (exitCodeOf(['version']) !== 0) throw new Refusal(`No Docker engine answers: start it, or ${INSTALL}.`)
  if (exitCodeOf(['compose', 'version']) !== 0) throw new Refusal(`Docker has no compose plugin: ${INSTALL}.`)
}

/** Runs a program in the repository's root folder; returns its output, or throws with it. */
export function output(file: string, args: string[]): string {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28, timeout: HALF_AN_HOUR } as const
  const { status, stdout, stderr, error } = spawnSync(file, args, options)
  if (status === 0) return stdout.trim()
  const words = `${stdout ?? ''}${stderr ?? ''}`.slice(-8_000)
  throw new Refusal(`${file} ${args.join(' ')} failed (${error?.message ?? status}):\n${words}`)
}

/** Runs docker; returns its output, or throws with it. */
export const docker = (args: string[]): string => output('docker', args)

/** Starts a program of this repository with additional environment keys. */
export const start = (args: string[], more: Record<string, string>): ChildProcess =>
  spawn(process.execPath, args, { cwd: root, env: childEnvironment(more), stdio: 'inherit' })
