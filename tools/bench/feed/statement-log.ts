// Times of statements by PostgreSQL's own log.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { asAdministrator, type OwnStack } from '@connectivity/toolkit/own-stack'
import { median } from '@connectivity/toolkit/statistics'
import type { Row } from '../report/report.ts'

/** Rarer statements, in executions per unit of work, are not shown: timers make them. */
const LEAST = 0.5
/** Application name, time in ms, what PostgreSQL did, and the statement's name or text. */
const LINE = /^@(\S+) LOG: {2}duration: ([\d.]+) ms {2}(bind|execute|statement):? ([^\n]*)/gm
const SETTINGS = { log_min_duration_statement: '0', log_line_prefix: '@%a ' }

/** Times of one statement, ms. */
export interface StatementTimes {
  /** Planning, if it has no plan yet, and taking its parameters. */
  bind: number[]
  execute: number[]
}

/** What PostgreSQL logs between `begin` and `end`. */
export class StatementLog {
  readonly #file: string
  readonly #url: string
  #from = 0

  constructor({ logs, postgres, secrets }: OwnStack) {
    this.#file = join(logs, 'postgres.log')
    this.#url = asAdministrator(postgres['reservation-feed'], secrets)
  }

  async begin(): Promise<void> {
    await this.#run(Object.entries(SETTINGS).map(([name, value]) => `ALTER SYSTEM SET ${name} = '${value}'`))
    this.#from = (await stat(this.#file)).size
  }

  /**
   * Ends the logging.
   * @param count units of work since the beginning
   * @returns the statements of a unit, by their service
   */
  async end(count: number): Promise<Row[]> {
    await this.#run(Object.keys(SETTINGS).map((name) => `ALTER SYSTEM RESET ${name}`))
    const logged = (await readFile(this.#file)).subarray(this.#from).toString()
    return [...timesIn(logged)]
      .filter(([, { execute }]) => execute.length / count >= LEAST)
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, { bind, execute }]) => {
        const times = { bind: bind.length > 0 ? median(bind) : 0, execute: median(execute) }
        return { name, also: { 'per booking': execute.length / count, ...times } }
      })
  }

  async #run(statements: readonly string[]): Promise<void> {
    const administrator = new pg.Client({ connectionString: this.#url })
    await administrator.connect()
    for (const statement of statements) await administrator.query(statement)
    await administrator.query('SELECT pg_reload_conf()')
    await administrator.end()
  }
}

/** Times by service and statement, from the lines of a log. */
export function timesIn(log: string): Map<string, StatementTimes> {
  const times = new Map<string, StatementTimes>()
  for (const [, service, time, step, statement = ''] of log.matchAll(LINE)) {
    // Named statements are logged as "name: text".
    const name = `${service}: ${/^([\w-]+):/.exec(statement)?.[1] ?? statement}`
    const known = times.get(name) ?? { bind: [], execute: [] }
    known[step === 'bind' ? 'bind' : 'execute'].push(Number(time))
    times.set(name, known)
  }
  return times
}
