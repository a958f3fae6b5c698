// The compose file as a whole: `docker compose up --wait`, a signed request, changes, a stop, another start.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../../local/config.mjs'
import { requestWith } from '../../local/demo/summary.mjs'
import { seconds } from '../../local/machine/progress.mjs'
import { services } from '../../local/services/names.mjs'
import { check } from './checks.mjs'

const PROJECT = 'partner-connectivity-proof'
const COPY = 'deploy/local/.state-proof'
const feedScript = fileURLToPath(new URL('feed.mjs', import.meta.url))
const STOPS_WITHIN = 10_000

/** The system of docker-compose.yml under a name of its own, at the engine given. */
export class System {
  #engine

  constructor(engine) {
    this.#engine = engine
  }

  compose(...args) {
    return this.#engine.docker(['compose', '--project-name', PROJECT, ...args])
  }

  /** What the engine knows of a service's container. */
  inspect(name) {
    const id = this.compose('ps', '--all', '--quiet', name)
    return JSON.parse(this.#engine.docker(['inspect', id]))[0]
  }

  up(...args) {
    const from = Date.now()
    this.compose('up', '--detach', '--wait', ...args)
    check(`docker compose up --wait ends well (${seconds(Date.now() - from)})`, true)
  }

  /** Copies the demo's file to this machine, as the demo's text instructs. */
  demoFile() {
    rmSync(join(root, COPY), { recursive: true, force: true })
    this.compose('cp', 'demo:/state/machine', COPY)
    return `${COPY}/demo.json`
  }

  checkRunning() {
    for (const { name } of services) {
      const { State: state, HostConfig: host } = this.inspect(name)
      check(
        `${name}: ${state.Health?.Status}, restarted ${this.inspect(name).RestartCount} times`,
        state.Health?.Status === 'healthy',
      )
      check(`${name}: its root folder is read-only`, host.ReadonlyRootfs === true)
      const first = this.compose('exec', '-T', name, 'cat', '/proc/1/cmdline').split('\0').filter(Boolean).join(' ')
      check(`${name}: process 1 is ${first}`, /^node .*app\/dist\/main\.js$/.test(first))
    }
  }

  /** Runs the request that the demo's text tells a newcomer to paste. */
  checkFirstRequest() {
    const answer = this.#engine.onMachine(['bash', '-c', requestWith(this.demoFile())])
    const { reservations } = JSON.parse(answer)
    check(`the first signed request gets ${reservations?.length} reservations`, reservations?.length === 5)
  }

  /** Reservations by the ids of the demo's connections. */
  feed() {
    return JSON.parse(this.#engine.onMachine([process.execPath, feedScript, join(root, this.demoFile())]))
  }

  checkChange() {
    const before = this.feed()
    this.compose('exec', '-T', 'demo', 'node', 'deploy/local/demo-book.mjs')
    const [grown, kept] = Object.entries(this.feed()).map(([id, count]) => count - before[id])
    check(
      `a booking made in the demo is in the feed (${Object.values(before)} reservations before)`,
      grown + kept === 1,
    )
  }

  checkOperators() {
    const listed = this.compose('exec', '-T', 'demo', 'node', 'deploy/ops/ops.mjs', 'connections', 'list', '--json')
    check('operators see the two connections', JSON.parse(listed).connections.length === 2)
  }

  checkStop() {
    const from = Date.now()
    this.compose('stop')
    for (const name of [...services.map((service) => service.name), 'demo']) {
      const { ExitCode: code, FinishedAt: at } = this.inspect(name).State
      const took = Date.parse(at) - from
      check(`${name}: docker stop ends it with ${code} (${seconds(took)})`, code === 0 && took < STOPS_WITHIN)
    }
  }

  checkAgain() {
    const before = readFileSync(join(root, COPY, 'demo.json'), 'utf8')
    const feed = this.feed()
    this.compose('down')
    this.up()
    this.demoFile()
    const after = readFileSync(join(root, COPY, 'demo.json'), 'utf8')
    const applications = (text) => JSON.stringify(JSON.parse(text).applications)
    check('made anew on its volumes it has the same credentials', applications(before) === applications(after))
    check('and the same reservations', JSON.stringify(feed) === JSON.stringify(this.feed()))
  }

  /** Logs of the containers, to diagnose a failure. */
  logs() {
    return this.compose('logs', '--no-color', '--tail', '40')
  }

  remove() {
    rmSync(join(root, COPY), { recursive: true, force: true })
    this.compose('down', '--volumes', '--remove-orphans')
  }
}
