import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JestResult, runJest } from './jest.ts'
import type { Progress } from './progress.ts'

/** Suites for this test only: other runs do not find them, because their names do not end in .spec.ts. */
const FOLDER = 'tools/test/fixtures'

describe('a run of suites', () => {
  let logs: string
  let progress: Progress[]
  beforeEach(() => {
    logs = mkdtempSync(join(tmpdir(), 'run-of-suites-'))
    progress = []
  })
  afterEach(() => rmSync(logs, { recursive: true }))

  const run = (workers: number, ...names: string[]): Promise<JestResult> =>
    runJest({
      args: [...names.map((name) => `--testMatch=**/${FOLDER}/${name}.ts`), `--maxWorkers=${workers}`, '--seed=1'],
      env: {},
      logs,
      track: () => undefined,
      exitWithin: 5_000,
      onProgress: (one) => progress.push(one),
    })

  it('reports each suite as it begins and ends', async () => {
    const suite = `${FOLDER}/ends-by-itself.ts`
    expect(await run(1, 'ends-by-itself')).toEqual({
      suites: [expect.objectContaining({ suite, passed: 1, failed: 0, skipped: 0, failures: [], message: '' })],
      faults: [],
    })
    expect(progress).toMatchObject([
      { kind: 'run', suites: 1 },
      { kind: 'begin', suite },
      { kind: 'end', suite },
    ])
  })

  it('names the tests that failed, and keeps the logs of their services', async () => {
    const { suites, faults } = await run(1, 'fails', 'ends-by-itself')
    const failed = suites.find(({ suite }) => suite.endsWith('/fails.ts'))!
    expect(failed).toMatchObject({ passed: 1, failed: 1, failures: ['fails'] })
    expect(failed.message).toContain('Received: "one"')
    expect(faults).toEqual([])
    expect(readFileSync(join(logs, `${FOLDER}/fails.ts.log`), 'utf8')).toContain('a line of a service')
  })

  it('fails a suite that leaves a server open, although its tests passed', async () => {
    const { suites, faults } = await run(1, 'leaves-a-server-open', 'ends-by-itself')
    const failed = suites.find(({ suite }) => suite.endsWith('/leaves-a-server-open.ts'))!
    expect(failed).toMatchObject({ failed: 1 })
    expect(failed.message).toContain('left open: 1 TCPServerWrap')
    expect(faults).toEqual([expect.stringContaining('keeps it from ending')])
  })

  it('names the handles that keep a worker from ending', async () => {
    const { suites, faults } = await run(2, 'leaves-a-timer', 'ends-by-itself')
    expect(suites.map(({ failed }) => failed)).toContain(0)
    expect([...faults, ...suites.map(({ message }) => message)].join()).toMatch(/left open:? 1 Timeout/)
  })

  it('fails when no suite can be found', async () => {
    const { suites, faults } = await run(1, 'there-is-none')
    expect(suites).toEqual([])
    expect(faults).toEqual([expect.stringContaining('exit code 1')])
  })
})
