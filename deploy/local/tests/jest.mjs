// Jest as a child process, counted from the report it writes.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { childEnvironment, root } from '../config.mjs'
import { readWhole } from '../machine/files.mjs'
import { node } from '../machine/install.mjs'

const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js')

function runJest(args, env, track) {
  const child = spawn(node, ['--experimental-vm-modules', '--no-warnings', jest, ...args], {
    cwd: root,
    env: childEnvironment({ NODE_ENV: 'test', ...env }),
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  track(child)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

/** Runs Jest and counts; a test file that could not be run, and a crash of Jest itself, count as one failed each. */
export async function countTests(args, env, { dir, track }) {
  const outputFile = join(dir, 'jest.json')
  const code = await runJest([...args, '--json', `--outputFile=${outputFile}`], env, track)
  const report = readWhole(outputFile, { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0 })
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites
  return { passed: report.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed }
}
