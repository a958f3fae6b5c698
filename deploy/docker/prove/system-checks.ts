// The compose file as a whole: `docker compose up --wait`, a signed request, changes, a stop, another start.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../../local/bootstrap/config.mjs'
import type { DemoContents } from '@connectivity/toolkit/hand-over'
import { requestsWith } from '../../local/demo/summary.ts'
import { seconds } from '../../local/bootstrap/machine/progress.mjs'
import { services } from '../../local/services/names.ts'
import { check } from './checks.ts'
import { docker, output } from './docker.ts'

const PROJECT = 'partner-connectivity-proof'
const COPY = 'deploy/local/.state-proof'
const feedScript = fileURLToPath(new URL('feed.ts', import.meta.url))
const STOPS_WITHIN = 10_000

/** Output of `docker inspect`. */
interface ContainerFacts {
  RestartCount: number
  State: { Health?: { Status: string }; ExitCode: number; FinishedAt: string }
  HostConfig: { ReadonlyRootfs: boolean }
}

/** Number of reservations in the feed of each demo connection, by property id. */
type Feed = Record<string, number>

const sumOf = (feed: Feed): number => Object.values(feed).reduce((sum, count) => sum + count, 0)

/** The system of docker-compose.yml under its own project name. */
export class System {
  compose(...args: string[]): string {
    return docker(['compose', '--project-name', PROJECT, ...args])
  }

  /** Creates the containers and waits until they are healthy. */
  up(): void {
    const from = Date.now()
    this.compose('up', '--detach', '--wait')
    check(`docker compose up --wait succeeds (${seconds(Date.now() - from)})`, true)
  }

  checkRunning(): void {
    for (const { name } of services) {
      const { State: state, HostConfig: host, RestartCount: restarts } = this.#inspect(name)
      check(`${name}: ${state.Health?.Status}, restarted ${restarts} times`, state.Health?.Status === 'healthy')
      check(`${name}: its root folder is read-only`, host.ReadonlyRootfs === true)
      const first = this.compose('exec', '-T', name, 'cat', '/proc/1/cmdline').split('\0').filter(Boolean).join(' ')
      check(`${name}: process 1 is ${first}`, /^node .*app\/dist\/main\.js$/.test(first))
    }
  }

  /** Runs the requests that the demo prints for newcomers. */
  checkFirstRequest(): void {
    const answer = output('bash', ['-c', requestsWith(this.#demoFile())])
    const { reservations } = JSON.parse(answer.split('\n', 1)[0]!) as { reservations?: object[] }
    check(`the first signed request gets ${reservations?.length} reservations`, reservations?.length === 5)
  }

  checkChange(): void {
    const before = this.#feed()
    this.compose('exec', '-T', 'demo', 'node', 'deploy/local/demo-book.ts')
    const grown = sumOf(this.#feed()) - sumOf(before)
    check(`a booking made in the demo is in the feed (${Object.values(before)} reservations before)`, grown === 1)
  }

  checkOperators(): void {
    const listed = this.compose('exec', '-T', 'demo', 'node', 'tools/ops/ops.ts', 'connections', 'list', '--json')
    const { connections } = JSON.parse(listed) as { connections: object[] }
    check('operators see the two connections', connections.length === 2)
  }

  checkStop(): void {
    const from = Date.now()
    this.compose('stop')
    for (const name of [...services.map((service) => service.name), 'demo']) {
      const { ExitCode: code, FinishedAt: at } = this.#inspect(name).State
      const took = Date.parse(at) - from
      check(`${name}: docker stop ends it with ${code} (${seconds(took)})`, code === 0 && took < STOPS_WITHIN)
    }
  }

  checkAgain(): void {
    const before = this.#credentials()
    const feed = this.#feed()
    this.compose('down')
    this.up()
    this.#demoFile()
    check('recreated on its volumes it has the same credentials', before === this.#credentials())
    check('and the same reservations', JSON.stringify(feed) === JSON.stringify(this.#feed()))
  }

  /** Logs of the containers, to diagnose a failure. */
  logs(): string {
    return this.compose('logs', '--no-color', '--tail', '40')
  }

  remove(): void {
    rmSync(join(root, COPY), { recursive: true, force: true })
    this.compose('down', '--volumes', '--remove-orphans')
  }

  /** Inspects a service's container. */
  #inspect(name: string): ContainerFacts {
    const id = this.compose('ps', '--all', '--quiet', name)
    const [facts] = JSON.parse(docker(['inspect', id])) as [ContainerFacts]
    return facts
  }

  /** Copies the demo's file to this machine, as the demo's output instructs. */
  #demoFile(): string {
    rmSync(join(root, COPY), { recursive: true, force: true })
    this.compose('cp', 'demo:/state/machine', COPY)
    return `${COPY}/demo.json`
  }

  /** The demo's applications with their credentials, from the copy. */
  #credentials(): string {
    const { applications } = JSON.parse(readFileSync(join(root, COPY, 'demo.json'), 'utf8')) as DemoContents
    return JSON.stringify(applications)
  }

  #feed(): Feed {
    return JSON.parse(output(process.execPath, [feedScript, join(root, this.#demoFile())])) as Feed
  }
}
