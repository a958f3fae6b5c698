// Machine and version that a benchmark measured.
import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { root } from '../../local/config.mjs'

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

const GIB = 1024 ** 3

/** `load_before` shows other load on the machine: the number of waiting processes in the minute before. */
export const surroundings = () => ({
  measured_at: new Date().toISOString(),
  commit: git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes'),
  machine: `${cpus().length} × ${cpus()[0].model.trim()}, ${(totalmem() / GIB).toFixed(0)} GiB, ${type()} ${release()}`,
  node: process.version,
  load_before: Number(loadavg()[0].toFixed(1)),
})
