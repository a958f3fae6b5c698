// Machine and version that a benchmark measured.
import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { root } from '../../../deploy/local/bootstrap/config.mjs'
import { present } from '@connectivity/toolkit/present'

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

const GIB = 1024 ** 3

/** Machine and version of a measurement. */
export interface Surroundings {
  measured_at: string
  commit: string
  machine: string
  node: string
  /** Other load on the machine: the number of waiting processes in the minute before. */
  load_before: number
}

/** The machine and the version at this moment. */
export function surroundings(): Surroundings {
  const [load = NaN] = loadavg()
  // What earlier benchmarks of a run have written does not count.
  const changes = git('status', '--porcelain', '--', ':!docs/benchmarks', ':!docs/operations/capacity.md')
  const model = present(cpus()[0], 'processor').model.trim()
  return {
    measured_at: new Date().toISOString(),
    commit: git('rev-parse', '--short', 'HEAD') + (changes === '' ? '' : ' with changes'),
    machine: `${cpus().length} × ${model}, ${(totalmem() / GIB).toFixed(0)} GiB, ${type()} ${release()}`,
    node: process.version,
    load_before: Number(load.toFixed(1)),
  }
}
