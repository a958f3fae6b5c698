// The engine that the proof runs on: the one at hand, else Debian's packages in a folder of their own.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childEnvironment, root } from '../../local/config.mjs'
import { say, step } from '../../local/machine/progress.mjs'
import { Refusal } from '../../local/machine/refusal.mjs'

// Debian 12 has neither BuildKit nor this compose; the packages of 13 run in their own root folder on either.
const SUITE = 'trixie'
const MIRROR = 'http://deb.debian.org/debian'
const PACKAGES = 'docker.io,docker-cli,docker-compose,docker-buildx,iptables,iproute2,slirp4netns,ca-certificates'
const script = fileURLToPath(new URL('engine.sh', import.meta.url))

const quiet = (file, args) => spawnSync(file, args, { encoding: 'utf8', timeout: 30_000 })
const worksAtHand = () =>
  quiet('docker', ['version']).status === 0 && quiet('docker', ['compose', 'version']).status === 0

function output([file, ...args]) {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28, timeout: 1_800_000 }
  const { status, stdout, stderr, error } = spawnSync(file, args, options)
  if (status === 0) return stdout.trim()
  const words = `${stdout ?? ''}${stderr ?? ''}`.slice(-8_000)
  throw new Refusal(`${file} ${args.join(' ')} failed (${error?.message ?? status}):\n${words}`)
}

/** An engine; `docker` begins its command lines, `machine` those of programs that call what it publishes. */
class Engine {
  #docker
  #machine
  #path
  #process

  /** `path`: a folder with a program `docker` that talks to it, for programs that look for one. */
  constructor({ docker = ['docker'], machine = [], path, process } = {}) {
    this.#docker = docker
    this.#machine = machine
    this.#path = path
    this.#process = process
  }

  /** True when the proof started the engine and is the only user of its images. */
  get own() {
    return this.#process !== undefined
  }

  /** Runs docker; returns what it wrote, or throws with it. */
  docker(args) {
    return output([...this.#docker, ...args])
  }

  /** Runs a program of this machine where the ports are that the engine publishes. */
  onMachine(args) {
    return output([...this.#machine, ...args])
  }

  /** Starts one there, which finds this engine as `docker`. */
  startOnMachine(args, more) {
    const [file, ...rest] = [...this.#machine, ...args]
    const PATH = [this.#path, process.env.PATH].filter(Boolean).join(':')
    return spawn(file, rest, { cwd: root, env: childEnvironment({ ...more, PATH }), stdio: 'inherit' })
  }

  /** Ends an engine of ours with everything in it. */
  async end() {
    if (!this.#process) return
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.kill('SIGKILL')
    await ended
  }
}

function makeRoot(folder, log) {
  if (existsSync(folder)) return
  if (quiet('debootstrap', ['--version']).error) {
    throw new Refusal(
      'No Docker engine with compose answers, and there is no debootstrap to fetch one: install either.',
    )
  }
  const into = openSync(log, 'a')
  const args = ['--variant=minbase', `--include=${PACKAGES}`, SUITE, `${folder}.new`, MIRROR]
  const { status } = spawnSync('debootstrap', args, { stdio: ['ignore', into, into] })
  if (status !== 0) throw new Refusal(`debootstrap ${args.join(' ')} failed: ${log}`)
  renameSync(`${folder}.new`, folder)
}

async function startIn(folder, shared, logFile) {
  const log = openSync(logFile, 'a')
  // The engine ends with this process, even if it is killed.
  const alone = ['--pdeathsig=KILL', 'unshare', '--mount', '--pid', '--fork', '--kill-child']
  const child = spawn('setpriv', [...alone, 'sh', script, folder, ...shared], { stdio: ['ignore', log, log] })
  const target = `--target=${await innerPid(child, logFile)}`
  const within = ['nsenter', target, '--mount', '--pid', '--net']
  const docker = [...within, 'env', `--chdir=${root}`, 'DOCKER_HOST=unix:///run/docker.sock', 'HOME=/root', 'docker']
  const path = join(folder, '..', 'bin')
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'docker'), `#!/bin/sh\nexec ${docker.join(' ')} "$@"\n`, { mode: 0o755 })
  return new Engine({ docker, machine: ['nsenter', target, '--net'], path, process: child })
}

const networkOf = (pid) => quiet('readlink', [`/proc/${pid}/ns/net`]).stdout
const childrenOf = (pid) =>
  quiet('cat', [`/proc/${pid}/task/${pid}/children`])
    .stdout.trim()
    .split(' ')
    .filter(Boolean)

/** The process of the engine's network: a child of the script, which is the child of `unshare`. */
async function innerPid(child, log) {
  const ours = networkOf('self')
  const isInside = (pid) => ![ours, ''].includes(networkOf(pid))
  for (let tries = 0; tries < 300 && child.exitCode === null; tries++) {
    const found = childrenOf(child.pid).flatMap(childrenOf).find(isInside)
    if (found) return found
    await sleep(100)
  }
  throw new Refusal(`The engine did not start: ${log}`)
}

async function untilAnswers(engine, log) {
  for (let tries = 0; tries < 120; tries++) {
    try {
      return engine.docker(['version', '--format', '{{.Server.Version}}'])
    } catch {
      await sleep(500)
    }
  }
  throw new Refusal(`The engine does not answer: ${log}`)
}

/**
 * Finds an engine or makes one.
 * @param {string} folder where Debian's engine is unpacked and keeps its data, when no other answers
 * @param {string[]} shared folders that it must see in addition to the repository; creates them
 */
export async function findEngine(folder, shared) {
  if (worksAtHand()) return new Engine()
  if (process.getuid?.() !== 0) throw new Refusal('No Docker engine with compose answers; as root I would fetch one.')
  for (const path of [folder, ...shared]) mkdirSync(path, { recursive: true })
  const log = join(folder, 'engine.log')
  rmSync(join(folder, 'root.new'), { recursive: true, force: true })
  await step('Debian 13 with its Docker engine is unpacked', () => makeRoot(join(folder, 'root'), log))
  const engine = await startIn(join(folder, 'root'), [root, ...shared], log)
  try {
    say(`engine ${await untilAnswers(engine, log)} runs in ${folder}`)
    return engine
  } catch (error) {
    await engine.end()
    throw error
  }
}
