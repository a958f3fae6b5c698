// Jest as a child process, counted from the report it writes.
import { join } from 'node:path'
import { root } from '../config.mjs'
import { readWhole } from '../machine/files.mjs'
import { runNode } from './run-node.mjs'

const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js')

/** Runs Jest and counts; a test file that could not be run, and a crash of Jest itself, count as one failed each. */
export async function countTests(args, env, { dir, track }) {
  const outputFile = join(dir, 'jest.json')
  const all = ['--experimental-vm-modules', '--no-warnings', jest, ...args, '--json', `--outputFile=${outputFile}`]
  const code = await runNode(all, { NODE_ENV: 'test', ...env }, track)
  const report = readWhole(outputFile, { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0 })
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites
  return { passed: report.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed }
}
